// Dunes in the blue half-hour: the last warmth along the horizon, a thin moon, a caravan on a crest.

import { add, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose, findCrest, illuminate } from '../engine/compose.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom } from '../engine/noise.ts'
import { addGlow, bloom } from '../engine/picture.ts'
import { n, type Scene, type Size, svg } from '../engine/scene.ts'
import { disc, drawStars, halo } from '../engine/sky.ts'
import { createTile, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground, type View } from '../engine/view.ts'

/** |value| with its fold rounded, so that a crest is wider than a sample of the map. */
const crease = (value: number, width: number) => Math.sqrt(value * value + width * width)

const moon = { u: 0.715, v: 0.215, radius: 0.011 }

export const sehelAmun: Scene = {
  slug: 'sehel-amun',
  palette: ['#0f1a38', '#2b3f74', '#66699a', '#d98d6c', '#f6c98f'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('sehel-dunes-2')
    const view = createView(inner.width, inner.height, { height: 95, focal: 0.95, horizon: 0.46 })
    const sun = direction(-52, 9)
    const land = createMap(1250, 9000, 20, (x, z) => {
      const wx = x + noise.fbm(x / 1500, z / 1500, 2) * 420
      const wz = z + noise.fbm(x / 1300 + 7, z / 1300, 2) * 380
      const a = 1 - crease(noise.at(wx / 1150 + wz / 2600, wz / 700), 0.03)
      const b = 1 - crease(noise.at(wx / 520 + 20, wz / 330 + 3), 0.045)
      const swell = noise.fbm(x / 2600, z / 2600, 2) * 60
      const far = smooth(600, 3800, z)
      return a ** 2.6 * (55 + far * 150) + b ** 2 * 20 * a + swell - 20 - smooth(260, 20, z) * 26
    })
    const ripples = createTile(512, 46, (u, v) => {
      const bend = noise.fbm(u * 5, v * 5, 3) * 2.4
      return Math.sin((v * 34 + bend) * Math.PI * 2) * 0.5 + noise.fbm(u * 30, v * 30, 2) * 0.3
    })
    const light = {
      sun,
      sunlight: hex('#ffa468', 1.9),
      skylight: hex('#5f7cc8', 1.0),
      bounce: hex('#41426e', 0.1),
      shadows: castShadows(land, sun, 0.12, 500),
      open: openness(land, 160, 1.6),
    }
    const dusk = createGradient([
      [0, '#f7b56c'],
      [0.05, '#eb9a68'],
      [0.13, '#c98583'],
      [0.26, '#8a7ba2'],
      [0.48, '#485f9f'],
      [1, '#15244f'],
    ])
    const sandLow = hex('#8a6a58')
    const sand = hex('#d9b08a')
    const ground: Ground = {
      near: 24,
      far: 9000,
      step: 0.0022,
      height(x, z, distance) {
        const base = sampleMap(land, x, z)
        return distance > 420
          ? base
          : base + sampleTile(ripples, x * 0.7 + z * 0.35, z * 0.8 - x * 0.3) * 0.11 * (1 - distance / 420)
      },
      shade(at, out) {
        set(out, mixRgb(sandLow, sand, 0.55 + noise.at(at.x / 90, at.z / 60) * 0.25))
        illuminate(light, at, out, 0.06)
      },
      hazes: [{ colour: hex('#6a6f9e'), density: 0.00016, fall: 260, sun: hex('#dc9474') }],
      spot: { x: 0.22, y: 0, size: 0.42 },
    }
    const glow = hex('#ffc27a')
    const silver = hex('#fff3dc')
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        dusk(v / 0.36 + (u - 0.22) ** 2 * 0.12, out)
        add(out, glow, halo(u, v * 2.2, 0.22, -0.02, 0.2) * 0.34)
        const wisp =
          smooth(0.05, 0.75, noise.fbm(u * 2.4 - v * 2, v * 17 + u, 5, 0.55)) *
          smooth(0.02, 0.09, v) *
          smooth(0.3, 0.14, v)
        add(out, hex('#d9816a'), wisp * 0.22)
      },
      afterSky(target) {
        drawStars(target, createRandom('sehel-stars'), { count: 900, brightness: 0.75, lowest: 0.07 })
        drawMoon(target, silver)
      },
    })
    bloom(view.picture, 0.8, 0.5, 0.02)
    return { picture: view.picture, overlays: [caravan(view, full)], finish: { exposure: 1.12, grain: 6 } }
  },
}

/** A thin crescent, open upwards to the right, away from the sun; with the faint rest of the disc. */
function drawMoon(view: View, colour: readonly [number, number, number]): void {
  const { width, picture } = view
  const cx = moon.u * width
  const cy = view.horizon - moon.v * width
  const r = moon.radius * width
  for (let y = Math.floor(cy - r - 2); y <= cy + r + 2; y++) {
    for (let x = Math.floor(cx - r - 2); x <= cx + r + 2; x++) {
      const whole = disc(x + 0.5, y + 0.5, cx, cy, r)
      const lit = whole * (1 - disc(x + 0.5, y + 0.5, cx + r * 0.42, cy - r * 0.3, r * 1.02))
      const at = (y * width + x) * 3
      for (let c = 0; c < 3; c++) picture.rgb[at + c]! += colour[c]! * (lit * 1.7 + whole * 0.035)
    }
  }
  addGlow(picture, cx, cy, r * 2.6, colour, 0.1)
}

const camel =
  'M-10 0L-9.4 -8Q-9.8 -11 -7.6 -12.2Q-5 -13.2 -3.6 -12.6Q-1.6 -17.4 1 -17.2Q3.4 -17 4.6 -12.4Q7 -12.2 8.4 -13.4Q9.6 -16.6 11.4 -18.6Q12.6 -19.6 14.4 -18.8L15.6 -17.6L13.6 -16.9Q12 -15 11.4 -11.6Q10.4 -9 8.4 -8.6L8.8 0L7.9 0L7.2 -7.6L6 -7.8L6 0L5.1 0L4.8 -7.8L-6 -7.8L-6.6 0L-7.5 0L-7.5 -7.6L-8.6 -6.8L-9.2 0Z'
const rider = 'M-1.6 -17L-1.2 -21.6Q0.6 -23.6 2.2 -21.6L2.8 -17ZM-0.8 -23.4a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0 -3 0Z'

function caravan(view: View, full: Size) {
  let content = ''
  for (let i = 0; i < 6; i++) {
    const u = 0.3 + i * 0.0195 + (i % 2) * 0.002
    const row = findCrest(view, u, 330, 1500)
    if (row < 0) continue
    const scale = 0.62 - i * 0.012
    content += `<g transform="translate(${n(u * 1600)} ${n((row / view.height) * 1000 + 1.2)}) scale(${n(scale)})"><path d="${camel}"/>${i % 2 === 0 ? `<path d="${rider}"/>` : ''}</g>`
  }
  return { svg: svg(full, `<g fill="#141c36">${content}</g>`) }
}
