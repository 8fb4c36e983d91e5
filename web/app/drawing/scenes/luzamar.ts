// A city stacked on its hill at dusk; the harbour repeats every window.

import { add, blend, clamp, createGradient, hex, mixRgb, type Rgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom, hashPair } from '../engine/noise.ts'
import { bloom } from '../engine/picture.ts'
import { n, type Scene, type Size, svg } from '../engine/scene.ts'
import { createView, type Ground } from '../engine/view.ts'

const plot = 13

/** The house on a plot: its walls within the plot, its roof line; 0 is street. */
function house(x: number, z: number): number {
  const i = Math.floor(x / plot)
  const j = Math.floor(z / plot)
  const chance = hashPair(i, j)
  if (chance < 0.07) return 0
  const inset = 0.7 + chance * 1.5
  const fx = x - i * plot
  const fz = z - j * plot
  if (fx < inset || fx > plot - inset || fz < inset * 0.6 || fz > plot - inset * 0.6) return 0
  const tall = hashPair(i + 911, j)
  return 5.5 + Math.floor(tall * 3.2) * 3.05 + (tall > 0.985 ? 11 : 0)
}

export const luzamar: Scene = {
  slug: 'luzamar',
  palette: ['#141735', '#3a3a6b', '#7d5f8e', '#e59a6b', '#ffd79a'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('luzamar-hill')
    const vapour = createNoise('luzamar-sky-2')
    const view = createView(inner.width, inner.height, { height: 26, focal: 1.0, horizon: 0.615 })
    const west = direction(-60, 16)
    const hill = createMap(500, 4200, 300, (x, z) => {
      const quay = 800 + ((x + 60) / 560) ** 2 * 95 + noise.at(x / 240, 3) * 16
      const back = z - quay
      if (back < 0) return -8
      const main = Math.exp(-(((x + 90) / 300) ** 2) - ((z - 1190) / 250) ** 2) * 205
      const second = Math.exp(-(((x - 460) / 240) ** 2) - ((z - 1330) / 260) ** 2) * 78
      const third = Math.exp(-(((x + 620) / 210) ** 2) - ((z - 1250) / 300) ** 2) * 66
      return (
        3 +
        main +
        second +
        third +
        smooth(0, 500, back) * 9 +
        noise.fbm(x / 140, z / 140, 3) * 5 * smooth(20, 120, back)
      )
    })
    const mountains = createMap(
      360,
      15000,
      2600,
      (x, z) => smooth(2700, 6500, z) * noise.ridged(x / 3800 + 2, z / 3800, 6) * 1250 - 20,
    )
    const light = {
      sun: west,
      sunlight: hex('#d88a78', 0.5),
      skylight: hex('#7680c0', 0.42),
      bounce: hex('#ffb066', 0.05),
      shadows: castShadows(hill, west, 0.3, 300),
      open: openness(hill, 100, 1),
    }
    const walls: Rgb[] = ['#e6cdb2', '#d9a184', '#efe0cd', '#c7b0a4', '#e2b695', '#cfc4c6'].map((colour) => hex(colour))
    const roof = hex('#8a5346')
    const street = hex('#5b4f57')
    const lamplight = hex('#ffb45a')
    const lights: Rgb[] = [hex('#ffc673'), hex('#ffe2a8'), hex('#ffab57'), hex('#fff1d2')]
    const pine = hex('#1f2b2d')
    const turn = (x: number, z: number) => Math.atan2(x + 90, 1900 - z)
    const ground: Ground = {
      near: 420,
      far: 15000,
      level: 0,
      step: 0.0011,
      height(x, z) {
        if (z > 2600) return Math.max(sampleMap(mountains, x, z), sampleMap(hill, x, z))
        const base = sampleMap(hill, x, z)
        if (base < 0) return base
        const park = noise.at(x / 130 + 4, z / 130)
        if (park > 0.55) return base + 5 + Math.abs(noise.at(x / 7, z / 7)) * 9
        const r = Math.hypot(x + 90, 1900 - z)
        const a = turn(x, z) * 900
        const i = Math.floor(a / plot)
        const j = Math.floor(r / plot)
        const here = house(a, r)
        // A house stands level: on the height of its plot's middle.
        const middleR = (j + 0.5) * plot
        const middleA = ((i + 0.5) * plot) / 900
        const floor = sampleMap(hill, Math.sin(middleA) * middleR - 90, 1900 - Math.cos(middleA) * middleR)
        return here > 0 && floor > 1 ? Math.max(base, floor + here) : base
      },
      shade(at, out) {
        if (at.z > 2600) {
          set(out, hex('#3c3a5c'))
          illuminate(light, at, out)
          return
        }
        const a = turn(at.x, at.z) * 900
        const r = Math.hypot(at.x + 90, 1900 - at.z)
        const i = Math.floor(a / plot)
        const j = Math.floor(r / plot)
        const base = sampleMap(hill, at.x, at.z)
        const above = at.y - base
        if (noise.at(at.x / 130 + 4, at.z / 130) > 0.55) {
          set(out, pine)
          illuminate(light, at, out)
          return
        }
        const wall = at.ny < 0.6
        set(out, wall ? walls[Math.floor(hashPair(i, j + 77) * 6)]! : above > 3 ? roof : street)
        illuminate(light, at, out)
        add(out, lamplight, 0.17 * Math.exp(-Math.max(0, above) / 4.5) * (0.5 + hashPair(i, j + 5) * 0.9))
        if (!wall) return
        const storey = Math.floor(at.y / 3.05)
        const room = Math.floor((at.x + at.z * 0.35) / 2.5)
        const fy = at.y / 3.05 - storey
        const fx = (at.x + at.z * 0.35) / 2.5 - room
        if (fy < 0.24 || fy > 0.74 || fx < 0.22 || fx > 0.7) return
        const lit = hashPair(room * 3 + 1, storey * 7 + j)
        if (lit < 0.36) add(out, lights[Math.floor(lit * 11)]!, 0.65 + hashPair(room, storey) * 1.1)
        else blend(out, hex('#2b2d4a'), 0.6)
      },
      hazes: [{ colour: hex('#8f7398'), density: 0.000075, fall: 600, sun: hex('#e79b7d') }],
      spot: { x: 0.1, y: -0.02, size: 0.4 },
    }
    const dusk = createGradient([
      [0, '#ffc48a'],
      [0.08, '#f7a585'],
      [0.2, '#cf8195'],
      [0.38, '#8a6ca3'],
      [0.64, '#4a5299'],
      [1, '#20285f'],
    ])
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        dusk(v / 0.4 + (u - 0.2) * 0.1, out)
        const bank = vapour.fbm(u * 2.4 + 1, v * 13 - u * 1.4, 6, 0.54)
        const under = vapour.fbm(u * 2.4 + 1, (v - 0.012) * 13 - u * 1.4, 5, 0.54)
        const thick = smooth(0.02, 0.5, bank) * smooth(0.03, 0.12, v)
        const edge = clamp(0.45 + (bank - under) * 1.6 - v * 0.5 + 0.25 * smooth(0.9, 0, u))
        blend(out, mixRgb(hex('#6a5a92'), hex('#ffb396'), edge), thick * 0.72)
      },
      water: {
        roughness: 0.008,
        wavelength: 9,
        mirror: 0.3,
        body: (_depth, _x, _z, out) => set(out, hex('#171d45')),
        tint: [0.9, 0.88, 0.95],
      },
    })
    bloom(view.picture, 0.6, 0.6, 0.02)
    return { picture: view.picture, overlays: boats(full), finish: { exposure: 1.08, grain: 6 } }
  },
}

function boats(full: Size) {
  const random = createRandom('luzamar-boats')
  let hulls = ''
  let lights = ''
  for (let k = 0; k < 13; k++) {
    const y = 668 + random() ** 1.6 * 190
    const x = 120 + random() * 1380
    const s = 0.25 + ((y - 655) / 200) * 0.85
    hulls += `<g transform="translate(${n(x)} ${n(y)}) scale(${n(s)})"><path d="M-22 0L20 0L26 -7L-20 -6Z" fill="#14142e"/><path d="M0 -5L0 -62" stroke="#14142e" stroke-width="1.4"/><path d="M-8 -6L-8 -13L8 -13L10 -6Z" fill="#23234a"/><path d="M-21 1L19 1L14 9L-14 8Z" fill="#14142e" opacity=".35"/></g>`
    if (random() < 0.6)
      lights += `<circle cx="${n(x)}" cy="${n(y - 10 * s)}" r="${n(9 * s + 2)}" fill="url(#cabin)"/><ellipse cx="${n(x)}" cy="${n(y + 14 * s)}" rx="${n(2.4 * s)}" ry="${n(12 * s)}" fill="#ffb866" opacity=".3"/>`
  }
  const glow =
    '<radialGradient id="cabin"><stop offset="0" stop-color="#fff0c8"/><stop offset=".2" stop-color="#ffbe6a" stop-opacity=".6"/><stop offset="1" stop-color="#ff9c40" stop-opacity="0"/></radialGradient>'
  return [{ svg: svg(full, hulls) }, { svg: svg(full, lights, glow), blend: 'screen' as const }]
}
