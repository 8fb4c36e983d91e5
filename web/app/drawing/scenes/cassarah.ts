// A canyon in the last forty minutes of the day: banded stone, long shadows, a shy river.

import { add, blend, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { birds } from '../engine/figures.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom } from '../engine/noise.ts'
import { bloom } from '../engine/picture.ts'
import { type Scene, svg } from '../engine/scene.ts'
import { halo } from '../engine/sky.ts'
import { createRock, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground } from '../engine/view.ts'

/** Hard beds stand as cliffs, soft ones lie back as slopes. */
function bedded(height: number, thickness: number): number {
  const bed = Math.floor(height / thickness)
  const within = height / thickness - bed
  return (bed + smooth(0.42, 0.95, within) * 0.82 + within * 0.18) * thickness
}

export const cassarah: Scene = {
  slug: 'cassarah',
  palette: ['#3a1d22', '#8c3f2a', '#cf7440', '#efb06c', '#fbe3b6'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('cassarah-rim')
    const view = createView(inner.width, inner.height, { height: 1130, focal: 0.86, horizon: 0.25 })
    const sun = direction(-100, 17)
    const land = createMap(1000, 17000, 150, (x, z) => {
      const bend = Math.sin(z / 2100 - 0.5) * 900 + Math.sin(z / 830) * 240 + 250
      const side = Math.abs(x - bend + noise.fbm(x / 1500, z / 1500, 4) * 900)
      const gullies = noise.ridged(x / 1900 + 8, z / 1900 + 3, 6, 0.55)
      const wide = 2500 + noise.at(z / 3000, 4) * 500 + smooth(3000, 300, z) * 1500
      let rise = smooth(0, 1, Math.min(1, side / wide)) ** 0.8 * 1120 - gullies * 820 * smooth(150, 1500, side) + 70
      const butte = noise.fbm(x / 1000 + 60, z / 1000, 3)
      rise += smooth(0.24, 0.42, butte) * 520 * smooth(300, 900, side)
      const river = smooth(22, 90, Math.abs(x - bend + noise.at(z / 210, 3) * 60))
      const top = Math.min(930 + noise.fbm(x / 2600, z / 2600, 3) * 40, Math.max(30, rise))
      const beds = bedded(bedded(top, 155), 47)
      return (beds + 14) * river - (1 - river) * 20 + noise.fbm(x / 120, z / 120, 3) * 7
    })
    const light = {
      sun,
      sunlight: hex('#ffb168', 3.0),
      skylight: hex('#8d8fc2', 0.62),
      bounce: hex('#d46b3f', 0.38),
      shadows: castShadows(land, sun, 0.05, 560),
      open: openness(land, 260, 1.3),
    }
    const rock = createRock(noise, 310)
    const strata = createGradient([
      [0, '#7d4636'],
      [0.1, '#9c5138'],
      [0.16, '#c98f68'],
      [0.22, '#a4492e'],
      [0.34, '#b85a35'],
      [0.4, '#e0b386'],
      [0.46, '#b0502f'],
      [0.58, '#c86b40'],
      [0.66, '#8f4331'],
      [0.72, '#d99b6c'],
      [0.82, '#d7b48a'],
      [0.9, '#c77f4f'],
      [1, '#b9804f'],
    ])
    const scrub = hex('#6f6f48')
    const dust = hex('#d9a672')
    const air = createGradient([
      [0, '#fbd79b'],
      [0.15, '#f6c296'],
      [0.4, '#d9b0a6'],
      [0.7, '#9db2c6'],
      [1, '#6f9cc2'],
    ])
    const warm = hex('#ffd28c')
    const ground: Ground = {
      near: 260,
      far: 17200,
      level: 2,
      step: 0.0016,
      height(x, z, distance) {
        const base = sampleMap(land, x, z)
        if (base < 2) return base
        return base + sampleTile(rock, x, z) * (distance < 8000 ? 15 : 6)
      },
      shade(at, out) {
        const bend = sampleTile(rock, at.x / 3, at.z / 3) * 8 + noise.at(at.x / 900, at.z / 900) * 14
        const level = at.y + bend
        strata(((level / 1000) % 1) * 0.98, out)
        const fine =
          noise.at(level / 5.5, at.x / 900) * 0.45 +
          noise.at(level / 17, at.z / 1400) * 0.5 +
          sampleTile(rock, at.x * 2.3, at.z * 2.3) * 0.4
        for (let c = 0; c < 3; c++) out[c]! *= 1 + fine * 0.5
        const flat = smooth(0.72, 0.92, at.ny)
        blend(out, dust, flat * 0.55)
        blend(out, scrub, flat * smooth(-0.1, 0.5, noise.fbm(at.x / 50, at.z / 50, 3)) * 0.75)
        illuminate(light, at, out)
      },
      hazes: [
        { colour: hex('#b9a0ac'), density: 0.00005, fall: 1500, sun: hex('#ffcf94') },
        { colour: hex('#d9a98c'), density: 0.00007, fall: 260, sun: hex('#ffc27d'), max: 0.6 },
      ],
      spot: { x: 0.02, y: -0.02, size: 0.5 },
    }
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        air(v / 0.2, out)
        add(out, warm, halo(u, v, -0.06, 0.03, 0.22) * 0.5)
        const streak = smooth(0.05, 0.6, noise.fbm(u * 2.6 + 4, v * 24 + u * 2, 6, 0.55))
        blend(out, mixRgb(hex('#c98f7c'), hex('#ffe3b4'), smooth(0.9, 0, u)), streak * 0.5 * smooth(0.02, 0.07, v))
      },
      water: {
        roughness: 0.004,
        wavelength: 20,
        mirror: 0.5,
        body: (_depth, _x, _z, out) => set(out, hex('#3f6a5c')),
      },
    })
    bloom(view.picture, 0.85, 0.35, 0.03)
    const flock = birds(createRandom('cassarah-birds'), 1130, 330, 5, 7, '#3a2226')
    return {
      picture: view.picture,
      overlays: [{ svg: svg(full, flock) }],
      finish: { exposure: 1.0, grain: 6, saturation: 1.05 },
    }
  },
}
