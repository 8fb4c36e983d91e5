// Two centimetres of water over a salt flat: the sky twice, and somebody in between.

import { add, blend, clamp, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose } from '../engine/compose.ts'
import { person } from '../engine/figures.ts'
import { createMap, sampleMap } from '../engine/heightmap.ts'
import { createNoise } from '../engine/noise.ts'
import { bloom } from '../engine/picture.ts'
import { type Scene, svg } from '../engine/scene.ts'
import { halo } from '../engine/sky.ts'
import { createView, type Ground } from '../engine/view.ts'

export const oyune: Scene = {
  slug: 'oyune',
  palette: ['#5d5a84', '#a37f9f', '#e2a4a2', '#f6cdb0', '#fdeedb'],
  ink: 'dark',
  draw(inner, full) {
    const noise = createNoise('oyune-salt')
    const vapour = createNoise('oyune-sky-3')
    const view = createView(inner.width, inner.height, { height: 2.1, focal: 0.9, horizon: 0.47 })
    const hills = createMap(500, 70000, 14000, (x, z) => {
      const far = smooth(22000, 30000, z)
      return -1 + far * (noise.ridged(x / 11000 + 4, z / 11000, 6, 0.5) * 1700 - 240 + noise.fbm(x / 20000, 7, 2) * 500)
    })
    const pastel = createGradient([
      [0, '#ffe7c4'],
      [0.08, '#ffd3b0'],
      [0.2, '#f7b5a8'],
      [0.38, '#dea3b4'],
      [0.62, '#a99dc4'],
      [1, '#7b8fc4'],
    ])
    const shade = hex('#9a86ae')
    const lit = hex('#fff1da')
    const blush = hex('#f5b5a5')
    const gold = hex('#ffdca0')
    const sunU = 0.33
    const density = (u: number, v: number) => {
      const warp = vapour.fbm(u * 2.6, v * 4.2, 3) * 0.25
      const billow = 0.55 - Math.abs(vapour.fbm(u * 9 + 3 + warp, v * 13, 4, 0.5)) * 1.1
      const body = vapour.fbm(u * 3.0 + warp * 0.5 + 3, v * 6.2, 4, 0.5) + billow * 0.22 - 0.04
      const bank = smooth(0.02, 0.09, v) * smooth(0.44, 0.2, v)
      return body + bank * 0.34 - 0.26 - smooth(0.22, 0.5, v) * 0.25
    }
    const ground: Ground = {
      near: 2.4,
      far: 80000,
      level: 0,
      step: 0.004,
      height: (x, z) => (z < 14500 ? -0.02 : sampleMap(hills, x, z)),
      shade(at, out) {
        set(out, mixRgb(hex('#5b5486'), hex('#8a77a0'), clamp(at.ny * 0.5 + at.nx * 1.2)))
      },
      hazes: [{ colour: hex('#dfaeb8'), density: 0.000032, fall: 2600, sun: hex('#ffd0a2') }],
      spot: { x: sunU, y: -0.02, size: 0.3 },
    }
    const salt = hex('#fff6ea')
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        pastel(v / 0.36, out)
        add(out, gold, halo(u, v, sunU, 0.035, 0.17) * 0.55)
        const d = density(u, v)
        const thick = smooth(0, 0.3, d)
        const towards = density(u + (sunU - u) * 0.06, v - 0.016)
        const edge = clamp(0.55 + (d - towards) * 2.6 + (0.16 - v) * -0.6)
        const near = Math.exp(-Math.hypot(u - sunU, v - 0.05) / 0.34)
        const colour = mixRgb(mixRgb(shade, blush, near), lit, clamp(edge * (0.45 + near * 0.75)))
        blend(out, colour, thick * 0.94 * smooth(0.0, 0.03, v))
        const high = smooth(0.1, 0.75, vapour.fbm(u * 2 + v * 4, v * 15 - u * 2, 5, 0.55)) * smooth(0.16, 0.3, v)
        blend(out, mixRgb(blush, lit, 0.5), high * 0.4)
      },
      water: {
        roughness: 0.0012,
        wavelength: 0.9,
        mirror: 0.72,
        body: (_depth, _x, _z, out) => set(out, hex('#d8c3c6')),
        tint: [0.95, 0.93, 0.95],
        after(x, z, _depth, out) {
          const cell = noise.cells(x / 1.15, z / 1.15)
          const seam = smooth(0.055, 0.0, cell.second - cell.first) * smooth(24, 5, z)
          blend(out, salt, seam * 0.17)
        },
      },
    })
    bloom(view.picture, 0.9, 0.4, 0.04)
    const someone = person(1058, 506, 46, '#43395c', 0.55)
    return {
      picture: view.picture,
      overlays: [{ svg: svg(full, someone) }],
      finish: { exposure: 0.98, grain: 5, vignette: 0.18 },
    }
  },
}
