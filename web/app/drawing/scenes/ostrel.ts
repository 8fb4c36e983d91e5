// The six rose minutes: a high massif above a sea of cloud, the shadow of the earth still on everything else.

import { blend, clamp, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { erode } from '../engine/erosion.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom } from '../engine/noise.ts'
import { bloom } from '../engine/picture.ts'
import type { Scene } from '../engine/scene.ts'
import { drawStars } from '../engine/sky.ts'
import { createRock, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground } from '../engine/view.ts'

export const ostrel: Scene = {
  slug: 'ostrel',
  palette: ['#1d2746', '#46558a', '#8d86b5', '#e79a9c', '#ffd9c2'],
  ink: 'light',
  draw(inner) {
    const noise = createNoise('ostrel-ground')
    const vapour = createNoise('ostrel-cloud')
    const view = createView(inner.width, inner.height, { height: 2900, focal: 1.05, horizon: 0.6 })
    const sun = direction(118, 7)
    const land = createMap(800, 26000, 1500, (x, z) => {
      const wx = x + noise.fbm(x / 3000, z / 3000, 3) * 900
      const wz = z + noise.fbm(x / 3000 + 40, z / 3000, 3) * 900
      const peak = Math.hypot((wx + 1700) / 1.0, (wz - 13800) / 0.9)
      const second = Math.hypot(wx - 3300, wz - 16800)
      const massif = Math.exp(-((peak / 5200) ** 2)) + 0.62 * Math.exp(-((second / 4300) ** 2))
      const crest = noise.ridged(wx / 4300, wz / 4300, 8, 0.5)
      const tip = 2300 * clamp(1 - peak / 3300) ** 1.15
      return 950 + crest * 1750 + massif * (1150 + crest * 1250) + tip
    })
    erode(land, createRandom('ostrel-rain'), { drops: 60000, steps: 45, capacity: 5 })
    const light = {
      sun,
      sunlight: hex('#ff8672', 3.7),
      skylight: hex('#8296d6', 0.62),
      bounce: hex('#6a6ca8', 0.12),
      shadows: castShadows(land, sun, 0.05, 450),
      open: openness(land, 600, 2.2),
    }
    const rock = createRock(noise, 900)
    const dawn = createGradient([
      [0, '#8fa0cf'],
      [0.1, '#b3a3cc'],
      [0.22, '#e3a9bd'],
      [0.36, '#e9b9c0'],
      [0.6, '#9fa9d6'],
      [1, '#42569c'],
    ])
    const stone = hex('#5b5560')
    const snow = hex('#eef1fa')
    const cloudTop = hex('#a9b4de')
    const cloudLow = hex('#5c6ba6')
    const cloudRose = hex('#eeb0bb')
    const seaHeight = (x: number, z: number) =>
      2080 + vapour.fbm(x / 2600, z / 4200, 4, 0.5) * 260 + Math.abs(vapour.fbm(x / 800 + 9, z / 1200, 3, 0.5)) * -60
    const sea = createMap(700, 26000, 1500, seaHeight)
    const ground: Ground = {
      near: 1600,
      far: 27000,
      step: 0.0016,
      height(x, z, distance) {
        const base = sampleMap(land, x, z)
        const cloud = sampleMap(sea, x, z)
        const h = base + sampleTile(rock, x + z * 0.4, z) * (distance < 18000 ? 20 : 9)
        return h > cloud ? h : cloud
      },
      shade(at, out) {
        const base = sampleMap(land, at.x, at.z)
        const cloud = sampleMap(sea, at.x, at.z)
        const rough = sampleTile(rock, at.x + at.z * 0.4, at.z)
        const height = base + rough * 26
        const lit = smooth(3150, 3900, at.y + rough * 60)
        set(out, mixRgb(hex0, stone, 0.65 + rough * 0.35))
        blend(
          out,
          snow,
          smooth(0.3, 0.52, at.ny + rough * 0.14 + noise.at(at.x / 420, at.y / 300) * 0.08) * smooth(1900, 2700, base),
        )
        illuminate({ ...light, sunlight: mixRgb(zero, light.sunlight, lit) }, at, out)
        const above = height - cloud
        if (above < 130) {
          const puff = clamp(0.5 + (at.ny - 0.93) * 4 + (cloud - 2080) / 420)
          const colour = mixRgb(cloudLow, cloudTop, puff)
          const glow = smooth(9000, 26000, at.z) * 0.75
          blend(out, mixRgb(colour, cloudRose, glow * puff), 1 - smooth(0, 130, above))
        }
      },
      hazes: [{ colour: hex('#98a3d4'), density: 0.000045, fall: 2600, base: 1500 }],
    }
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        dawn(v / 0.4 + vapour.fbm(u * 3, v * 14, 3) * 0.02, out)
        const veil = smooth(0.1, 0.7, vapour.fbm(u * 2.2 + v * 3, v * 9, 5, 0.55)) * smooth(0.06, 0.2, v)
        blend(out, hex('#f3c3c6'), veil * 0.35)
      },
      afterSky: (target) =>
        drawStars(target, createRandom('ostrel-stars'), { count: 300, brightness: 0.5, lowest: 0.22 }),
    })
    bloom(view.picture, 0.9, 0.35, 0.03)
    return { picture: view.picture, overlays: [], finish: { exposure: 1.08, grain: 5 } }
  },
}

const zero = [0, 0, 0] as const
const hex0 = hex('#2c2b3a')
