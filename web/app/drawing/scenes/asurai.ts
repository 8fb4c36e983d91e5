// A volcano at dusk, in its usual evening mood: a lit plume, two rivers of lava, black woods in front.

import { add, blend, clamp, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { erode } from '../engine/erosion.ts'
import { conifer, lamp, lampGradient } from '../engine/figures.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom } from '../engine/noise.ts'
import { addGlow, bloom, type Picture } from '../engine/picture.ts'
import { type Scene, type Size, svg } from '../engine/scene.ts'
import { drawStars } from '../engine/sky.ts'
import { createRock, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground } from '../engine/view.ts'

const cone = { x: -900, z: 9200, top: 2750 }

export const asurai: Scene = {
  slug: 'asurai',
  palette: ['#140f1c', '#3c2338', '#7a3040', '#e0552e', '#ffbd6b'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('asurai-cone')
    const smoke = createNoise('asurai-plume-2')
    const view = createView(inner.width, inner.height, { height: 620, focal: 0.92, horizon: 0.8 })
    const sun = direction(-75, 6)
    const land = createMap(800, 19000, 1200, (x, z) => {
      const away = Math.hypot(x - cone.x, z - cone.z) + noise.fbm(x / 900, z / 900, 3) * 170
      const slope = cone.top * 1.12 * Math.exp(-away / 2600) ** 1.06
      const crater = smooth(250, 120, away) * 320
      const around = Math.atan2(z - cone.z, x - cone.x)
      const gully =
        Math.abs(noise.at(around * 9, away / 2600)) * smooth(150, 900, away) * smooth(5200, 1500, away) * 190
      const hills = noise.ridged(x / 3200 + 4, z / 3200, 6) * 620 * smooth(1900, 4800, away) * smooth(2200, 4600, z)
      return slope - crater - gully + hills + 60
    })
    erode(land, createRandom('asurai-rain'), { drops: 50000, steps: 50, capacity: 7 })
    const light = {
      sun,
      sunlight: hex('#c46a6e', 1.0),
      skylight: hex('#5b5f94', 0.6),
      shadows: castShadows(land, sun, 0.2, 420),
      open: openness(land, 300, 2.2),
    }
    const rock = createRock(noise, 420)
    const ember = hex('#ff4a12')
    const hot = hex('#ffd27a')
    const crust = hex('#3a3038')
    const ash = hex('#6b5a60')
    const lava = (x: number, z: number) => {
      const away = Math.hypot(x - cone.x, z - cone.z)
      const around = Math.atan2(x - cone.x, -(z - cone.z))
      let flow = 0
      for (const [angle, long, wide] of flows) {
        const path = angle + noise.fbm(away / 700, angle * 9, 3) * 0.2
        const width = wide * (0.55 + noise.at(away / 300, angle * 40) * 0.35) * (160 / (away + 160)) + 0.006
        flow += smooth(width, width * 0.25, Math.abs(around - path)) * smooth(long, long * 0.55, away)
      }
      return flow + smooth(210, 130, away) * 0.9
    }
    const ground: Ground = {
      near: 1300,
      far: 19500,
      step: 0.0016,
      height: (x, z, distance) => sampleMap(land, x, z) + sampleTile(rock, x, z) * (distance < 12000 ? 16 : 6),
      shade(at, out) {
        const rough = sampleTile(rock, at.x, at.z)
        set(out, mixRgb(crust, ash, 0.4 + rough * 0.5))
        illuminate(light, at, out)
        const away = Math.hypot(at.x - cone.x, at.z - cone.z)
        add(out, ember, 0.1 * Math.exp(-away / 900) * clamp(at.ny + 0.2))
        const flow = clamp(lava(at.x, at.z))
        const heat = clamp(flow * (0.7 + rough * 0.5 + noise.at(at.x / 40, at.z / 40) * 0.3))
        add(out, ember, heat * 1.5)
        add(out, hot, smooth(0.55, 1, heat) * 1.3 * Math.exp(-away / 2200))
        add(out, ember, smooth(0, 1, lava(at.x + 60, at.z) + lava(at.x - 60, at.z)) * 0.1)
      },
      hazes: [
        { colour: hex('#4e3a58'), density: 0.000055, fall: 1500 },
        { colour: hex('#7c4a58'), density: 0.00016, fall: 170, max: 0.75 },
      ],
    }
    const dusk = createGradient([
      [0, '#d9705a'],
      [0.08, '#b85868'],
      [0.22, '#70436f'],
      [0.45, '#39325f'],
      [1, '#141631'],
    ])
    const mouthU = 0.5 + (cone.x / cone.z) * 0.92
    const mouthV = ((cone.top * 0.93 - 620) / cone.z) * 0.92
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        dusk(v / 0.5 + (u - 0.1) * 0.06, out)
        plume(smoke, u, v, mouthU, mouthV, out)
      },
      afterSky(target) {
        drawStars(target, createRandom('asurai-stars'), { count: 260, brightness: 0.35, lowest: 0.2 })
      },
    })
    sparks(view.picture, mouthU * inner.width, view.horizon - mouthV * inner.width)
    bloom(view.picture, 0.55, 0.9, 0.035)
    return { picture: view.picture, overlays: foreground(full), finish: { exposure: 1.1, grain: 6 } }
  },
}

const flows = [
  [-0.34, 3300, 0.34],
  [0.3, 2300, 0.26],
  [-0.02, 1300, 0.2],
  [0.95, 1500, 0.2],
] as const

/** Smoke that widens and leans with the wind; lit red from below, dusky pink from the west. */
function plume(smoke: ReturnType<typeof createNoise>, u: number, v: number, mu: number, mv: number, out: Float32Array) {
  const up = v - mv + 0.006
  if (up < -0.02) return
  const rise = Math.max(0, up)
  const axis = mu + rise ** 1.5 * 1.7 - rise * 0.1
  const wide = 0.012 + rise ** 0.8 * 0.34
  const curl = smoke.fbm(u * 7, v * 7 - 2, 3) * 0.05
  const off = (u - axis + curl * (0.3 + rise * 4)) / wide
  const billow = smoke.fbm(u * 11 + 5, v * 11 - rise * 3, 6, 0.55)
  const body = 1.02 - Math.abs(off) ** 1.7 + billow * 0.72
  const thick = smooth(0.1, 0.75, body) * smooth(-0.01, 0.012, up)
  if (thick <= 0) return
  const left = smoke.fbm((u - 0.012) * 11 + 5, (v - 0.008) * 11 - rise * 3, 5, 0.55)
  const relief = clamp(0.45 + (billow - left) * 1.7 - off * 0.22)
  const base = mixRgb(hex('#1a1524'), hex('#6b4d66'), relief)
  const heat = Math.exp(-rise / 0.06)
  blend(out, base, thick * 0.96)
  add(out, hex('#ff5a1e'), thick * heat * (0.3 + (1 - relief) * 0.8) * 1.1)
  add(out, hex('#c23a2a'), thick * Math.exp(-rise / 0.16) * clamp(0.6 - relief) * 0.5)
}

function sparks(picture: Picture, x: number, y: number) {
  const random = createRandom('asurai-sparks')
  const scale = picture.width / 1280
  addGlow(picture, x, y + 2 * scale, 26 * scale, hex('#ff6a26'), 0.9)
  for (let i = 0; i < 150; i++) {
    const angle = (random() - 0.5) * 1.9
    const speed = 20 + random() ** 2 * 75
    const time = 0.25 + random() * 1.1
    const px = x + Math.sin(angle) * speed * time * 0.8 * scale
    const py = y - (Math.cos(angle) * speed * time - 34 * time * time) * scale
    if (py < y + 16 * scale) addGlow(picture, px, py, (0.5 + random() * 0.8) * scale, hex('#ffa04a'), 1.3)
  }
}

function foreground(full: Size) {
  const random = createRandom('asurai-woods')
  let back = 'M0 1000'
  let trees = ''
  for (let x = 0; x <= 1600; x += 16)
    back += `L${x} ${Math.round(900 + Math.sin(x / 330 + 2) * 30 + Math.sin(x / 90) * 6)}`
  for (let x = -10; x < 1610; x += 5 + random() * 9) {
    const ground = 905 + Math.sin(x / 330 + 2) * 30 + Math.sin(x / 90) * 6
    trees += conifer(random, x, ground + 4, 22 + random() ** 2 * 52)
  }
  const window = lamp('hut', 392, 925, 26)
  return [
    { svg: svg(full, `<path d="${back}L1600 1000Z" fill="#0c0a13"/><path d="${trees}" fill="#0c0a13"/>`) },
    { svg: svg(full, window, lampGradient('hut', '#ffe2a6', '#ff9a3d')), blend: 'screen' as const },
  ]
}
