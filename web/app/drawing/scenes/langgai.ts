// Flooded terraces before planting: a mountainside of mirrors, bamboo huts, smoke, mist between the spurs.

import { add, blend, clamp, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom } from '../engine/noise.ts'
import { bloom } from '../engine/picture.ts'
import { type Scene, type Size, svg } from '../engine/scene.ts'
import { halo } from '../engine/sky.ts'
import { createCrowns, createRock, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground } from '../engine/view.ts'

const terrace = 7

export const langgai: Scene = {
  slug: 'langgai',
  palette: ['#1f2f22', '#4d6b34', '#93a856', '#e6c084', '#fbe9c3'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('langgai-slope-2')
    const view = createView(inner.width, inner.height, { height: 268, focal: 0.86, horizon: 0.24 })
    const sun = direction(28, 14)
    const land = createMap(900, 3600, 60, (x, z) => {
      const warp = noise.fbm(x / 520, z / 520, 3) * 120
      const spur = noise.fbm((x + warp) / 420, (z - warp) / 560, 3, 0.45) * 74
      const bowl = 26 + ((x + 90) / 560) ** 2 * 120 + smooth(120, 700, z) * 10 + smooth(700, 2400, z) * 190
      const near = smooth(420, 90, z) * 110
      return bowl + spur + near
    })
    const far = createMap(
      400,
      16000,
      2300,
      (x, z) => 120 + smooth(2400, 5200, z) * noise.ridged(x / 3300 + 2, z / 3300, 6) * 1050,
    )
    const light = {
      sun,
      sunlight: hex('#ffd596', 2.7),
      skylight: hex('#a6bccb', 0.75),
      shadows: castShadows(land, sun, 0.25, 420),
      open: openness(land, 60, 1.1),
    }
    const rock = createRock(noise, 130)
    const trees = createCrowns(createRandom('langgai-trees'), 150, 20, 1.9)
    const bank = hex('#4e6a2c')
    const grass = hex('#8fa544')
    const earth = hex('#5d4a33')
    const leaf = hex('#24401f')
    const palm = hex('#4a6b2d')
    const shoots = hex('#7fa23c')
    const groves = createMap(500, 3600, 60, (x, z) => noise.fbm(x / 170 + 20, z / 170, 3))
    const wooded = (x: number, z: number, base: number) =>
      smooth(0.3, 0.44, sampleMap(groves, x, z) + smooth(230, 330, base) * 0.6 - 0.02)
    const sky = createGradient([
      [0, '#ffe2a6'],
      [0.2, '#ffcf9c'],
      [0.5, '#f0c4a4'],
      [0.8, '#c9c4c4'],
      [1, '#9db9cc'],
    ])
    const paint = (u: number, v: number, out: Float32Array) => {
      sky(v / 0.24, out)
      add(out, hex('#ffd78c'), halo(u, v, 0.93, 0.1, 0.16) * 0.5)
      const puff = smooth(0.05, 0.6, noise.fbm(u * 3.4 + 8, v * 13, 6, 0.55))
      blend(out, mixRgb(hex('#fff3dc'), hex('#e7b99a'), clamp(v * 3)), puff * 0.6)
    }
    const seen = new Float32Array(3)
    const ground: Ground = {
      near: 150,
      far: 16000,
      step: 0.0013,
      height(x, z) {
        if (z > 3200) return sampleMap(far, x, z)
        const base = sampleMap(land, x, z)
        const woods = wooded(x, z, base)
        const step = Math.floor(base / terrace)
        const within = base / terrace - step
        const wall = smooth(0.86, 0.97, within)
        const lip = smooth(0.05, 0.0, within) * 0.7 + (within > 0.02 && within < 0.06 ? 0.4 : 0)
        const field = (step + wall) * terrace + lip
        if (woods <= 0) return field
        return field + woods * (sampleTile(rock, x, z) * 2 + sampleTile(trees.heights, x, z) * 13)
      },
      shade(at, out) {
        if (at.z > 3200) {
          set(out, hex('#41584a'))
          illuminate({ ...light, shadows: even, open: even }, at, out)
          return
        }
        const base = sampleMap(land, at.x, at.z)
        const woods = wooded(at.x, at.z, base)
        if (woods > 0.25) {
          set(out, mixRgb(leaf, palm, sampleTile(trees.tints, at.x, at.z)))
          illuminate(light, at, out, 0.15)
          return
        }
        const step = Math.floor(base / terrace)
        const within = base / terrace - step
        const fine = noise.fbm(at.x / 3, at.z / 3 + at.y, 2)
        if (within > 0.075 && within < 0.86) {
          const u = clamp(0.5 + (at.x / at.z) * 0.86, 0, 1)
          paint(u, ((view.eye - at.y) / at.z) * 0.4 + 0.01 + noise.at(at.x / 7, at.z / 9) * 0.003, seen)
          const shade = sampleMap(light.shadows, at.x, at.z)
          const facing = clamp((view.eye - at.y) / Math.hypot(at.z, view.eye - at.y))
          const share = 0.72 + 0.26 * (1 - facing) ** 2
          set(out, mixRgb(hex('#4b4a38'), earth, 0.5 + fine * 0.3))
          for (let c = 0; c < 3; c++) out[c] = mix2(out[c]! * 0.6, seen[c]! * (0.98 + 0.12 * shade), share)
          const planted = smooth(0.12, 0.34, noise.at(step * 7.7 + at.x / 260, step * 3.1 + at.z / 260))
          const rows = 0.45 + 0.55 * smooth(-0.3, 0.6, Math.sin(within * 62 + noise.at(at.x / 12, at.z / 12) * 2))
          blend(out, shoots, planted * rows * 0.75)
          return
        }
        set(out, mixRgb(bank, grass, clamp(0.5 + fine * 0.6 + (within < 0.1 ? 0.25 : 0))))
        blend(out, earth, smooth(0.1, 0.5, noise.fbm(at.x / 9, at.y / 2, 2)) * 0.3)
        illuminate(light, at, out, 0.35)
      },
      hazes: [
        { colour: hex('#c9cdbd'), density: 0.00009, fall: 800, sun: hex('#ffd999') },
        { colour: hex('#eadfc4'), density: 0.0006, fall: 42, base: 10, sun: hex('#ffe9b8'), max: 0.75 },
      ],
      spot: { x: 0.93, y: -0.06, size: 0.42 },
    }
    compose({ view, ground, noise, sky: paint })
    bloom(view.picture, 0.88, 0.3, 0.025)
    return { picture: view.picture, overlays: [huts(full)], finish: { exposure: 1, grain: 6, saturation: 1.05 } }
  },
}

const mix2 = (a: number, b: number, t: number) => a + (b - a) * t
const even = { size: 2, span: 1, left: 0, near: 0, data: new Float32Array([1, 1, 1, 1]) }

function huts(full: Size) {
  const hut = (x: number, y: number, s: number) =>
    `<g transform="translate(${x} ${y}) scale(${s})"><path d="M-17 0V-14H17V0Z" fill="#4b3827"/><path d="M-25 -11L-9 -31H10L25 -11Z" fill="#8b6b41"/><path d="M-25 -11L-9 -31H-2L-10 -11Z" fill="#6a4e30"/><path d="M-4 0V-10H4V0Z" fill="#1f1710"/></g>`
  return { svg: svg(full, hut(452, 598, 0.7) + hut(486, 606, 0.55) + hut(1128, 498, 0.42) + hut(1150, 501, 0.36)) }
}
