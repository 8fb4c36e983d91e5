// New moon over a warm bay: the galaxy above, plankton in every wave below, one lamp in the village.

import { add, blend, clamp, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { lamp, lampGradient, person } from '../engine/figures.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom } from '../engine/noise.ts'
import { bloom } from '../engine/picture.ts'
import { type Scene, type Size, svg } from '../engine/scene.ts'
import { drawStars } from '../engine/sky.ts'
import { createCrowns, createRock, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground } from '../engine/view.ts'

export const noctilBay: Scene = {
  slug: 'noctil-bay',
  palette: ['#050a1c', '#101d45', '#2b3a78', '#1fc7e8', '#d6f4ff'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('noctil-shore')
    const heaven = createNoise('noctil-milk-2')
    const view = createView(inner.width, inner.height, { height: 15, focal: 0.72, horizon: 0.56 })
    const sky = direction(-30, 50)
    /** The beach begins on the left and swings away to a headland. */
    const sea = (x: number, z: number) =>
      x + 46 - z * 0.19 + ((z - 190) / 210) ** 2 * 34 + noise.fbm(x / 90, z / 60, 3) * 12
    const land = createMap(850, 1900, 16, (x, z) => {
      const out = sea(x, z)
      const beach = out < 0 ? Math.min(7, -out * 0.075) + smooth(-40, -120, out) * 16 : -out * 0.05
      const head = smooth(
        1.05,
        0.2,
        Math.hypot((x + 480) / 560, (z - 1020) / 330) + noise.fbm(x / 170, z / 170, 4) * 0.2,
      )
      const isle = smooth(1, 0.1, Math.hypot((x - 470) / 105, (z - 1180) / 80) + noise.fbm(x / 70, z / 70, 4) * 0.3)
      const rocks = smooth(0.5, 0.75, noise.fbm(x / 16 + 7, z / 16, 3)) * smooth(-14, 2, out) * smooth(30, 6, out) * 3.4
      return Math.max(beach + rocks, head * (110 + noise.ridged(x / 260, z / 260, 5) * 130) - 4, isle * 95 - 5)
    })
    const light = {
      sun: sky,
      sunlight: hex('#6d82c9', 0.35),
      skylight: hex('#4c62a8', 0.5),
      shadows: castShadows(land, sky, 0.3, 300),
      open: openness(land, 30, 1.2),
    }
    const rock = createRock(noise, 60)
    const palms = createCrowns(createRandom('noctil-palms'), 130, 20, 2)
    const blue = hex('#18c8ff')
    const white = hex('#c8f6ff')
    const sand = hex('#7c7791')
    const wet = hex('#2b3050')
    const leaf = hex('#16212c')
    const ground: Ground = {
      near: 19,
      far: 1900,
      level: 0,
      step: 0.002,
      height(x, z, distance) {
        const base = sampleMap(land, x, z)
        if (base < 0) return base
        const high = smooth(6, 16, base)
        return (
          base +
          sampleTile(rock, x, z) * (0.1 + high * 3) +
          (distance > 60 ? sampleTile(palms.heights, x, z) * 8 * high : 0)
        )
      },
      shade(at, out) {
        const high = smooth(5, 12, at.y)
        set(out, mixRgb(mixRgb(wet, sand, smooth(0.15, 1.4, at.y)), leaf, high))
        illuminate(light, at, out)
        const spray = smooth(1.1, 0, at.y) * smooth(-0.1, 0.5, noise.fbm(at.x / 3, at.z / 3, 3))
        add(out, blue, spray * 0.35)
        const speck = noise.at(at.x * 3.1, at.z * 3.1)
        if (at.y < 1.6 && speck > 0.72) add(out, white, (speck - 0.72) * 2.4 * smooth(1.6, 0.4, at.y))
      },
      hazes: [{ colour: hex('#16224e'), density: 0.0005, fall: 120 }],
    }
    const night = createGradient([
      [0, '#31437f'],
      [0.08, '#22346f'],
      [0.3, '#121e4c'],
      [1, '#070c25'],
    ])
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        night(v / 0.5, out)
        // The galaxy stands as a leaning band with a split down its middle.
        const along = (u - 0.63) * 0.34 + v * 0.94
        const across = (u - 0.63) * 0.94 - (v - 0.1) * 0.34
        const bend = across + heaven.fbm(along * 4, across * 4, 3) * 0.035
        const band = Math.exp(-((bend / 0.085) ** 2))
        const core = Math.exp(-((bend / 0.035) ** 2)) * smooth(0.62, 0.02, along)
        const dust = smooth(-0.15, 0.5, heaven.fbm(along * 8 + 3, bend * 22, 6, 0.6) + 0.25 - Math.abs(bend) * 7)
        const milk = heaven.fbm(along * 9, bend * 14 + 5, 5, 0.55) * 0.5 + 0.6
        add(out, hex('#7d8fd6'), band * milk * 0.26 * (1 - dust * 0.75))
        add(out, hex('#f2c9c4'), core * milk * 0.42 * (1 - dust * 0.85))
        add(out, hex('#4fb4d8'), Math.exp(-v / 0.035) * 0.09)
      },
      afterSky(target, mirrored) {
        drawStars(target, createRandom('noctil-stars'), {
          count: mirrored ? 900 : 5200,
          brightness: 0.95,
          lowest: -0.05,
        })
      },
      water: {
        roughness: 0.014,
        wavelength: 5,
        mirror: 0.12,
        body: (_depth, _x, _z, out) => set(out, hex('#04102c')),
        tint: [0.75, 0.82, 0.95],
        after(x, z, depth, out) {
          const wander = noise.fbm(x / 55, z / 55, 3)
          const breaks = noise.fbm(x / 26 + 9, z / 26, 2)
          const d = depth + wander * 0.7
          let glow = smooth(0.5, 0, depth + noise.fbm(x / 4, z / 4, 3) * 0.35) * 1.15
          for (const [at, wide, strength] of [
            [0.95, 0.12, 1.1],
            [2.0, 0.12, 0.8],
            [3.5, 0.13, 0.6],
            [5.4, 0.14, 0.42],
          ] as const) {
            const line =
              Math.exp(-(((d - at) / wide) ** 2)) +
              0.35 * smooth(0, 0.9, d - at) * smooth(1.1, 0, d - at) * (d > at ? 1 : 0)
            glow += line * strength * smooth(-0.35, 0.35, breaks + noise.at(x / 9, z / 9 + at) * 0.4)
          }
          glow += Math.exp(-depth / 1.7) * 0.22
          const speck = noise.at(x * 1.3, z * 0.8)
          glow *= 0.72 + noise.fbm(x / 2.2, z / 2.2, 2) * 0.4
          add(out, blue, clamp(glow, 0, 1.6) * 0.95)
          add(out, white, smooth(0.75, 1.7, glow) * 0.55)
          if (speck > 0.8) blend(out, white, (speck - 0.8) * 1.6 * Math.exp(-depth / 2))
        },
      },
    })
    bloom(view.picture, 0.35, 0.65, 0.03)
    return { picture: view.picture, overlays: people(full), finish: { exposure: 1.12, grain: 8, vignette: 0.3 } }
  },
}

function people(full: Size) {
  const two = person(402, 792, 46, '#050817') + person(421, 794, 42, '#050817')
  return [
    { svg: svg(full, two) },
    {
      svg: svg(full, lamp('lamp', 118, 553, 24), lampGradient('lamp', '#fff0c4', '#ffae52')),
      blend: 'screen' as const,
    },
  ]
}
