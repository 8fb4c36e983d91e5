// Two hours after supper in February: green curtains over a lake that is not yet frozen, one lit cabin.

import { add, clamp, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { conifer, lamp, lampGradient } from '../engine/figures.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom, type Noise } from '../engine/noise.ts'
import { bloom } from '../engine/picture.ts'
import { n, type Scene, type Size, svg } from '../engine/scene.ts'
import { drawStars } from '../engine/sky.ts'
import { createCrowns, createRock, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground } from '../engine/view.ts'

const green = hex('#38f59a')
const teal = hex('#2ac7c0')
const violet = hex('#8a4fe0')
const rose = hex('#e0559c')

/** One curtain: a winding foot, rays standing on it, green below and violet where it fades. */
function curtain(
  sky: Noise,
  u: number,
  v: number,
  at: { base: number; lean: number; seed: number; tall: number },
  out: Float32Array,
) {
  const foot =
    at.base +
    at.lean * (u - 0.5) +
    sky.fbm(u * 1.7 + at.seed, at.seed, 3) * 0.085 +
    sky.at(u * 7 + at.seed * 3, 2.5) * 0.016
  const up = v - foot
  if (up < -0.03) return
  const sway = u + sky.at(u * 3 + at.seed, v * 2) * 0.02 + up * 0.12 * at.lean
  const rays = 0.42 + 0.58 * smooth(-0.5, 0.7, sky.fbm(sway * 26 + at.seed, v * 0.7, 3) + sky.at(sway * 90, 1) * 0.35)
  const sweep = smooth(-0.55, 0.5, sky.fbm(u * 2.3 + at.seed * 5, 8.1, 2))
  const tall = at.tall * (0.5 + 0.8 * smooth(-0.4, 0.5, sky.at(sway * 9 + at.seed, 4)))
  const body = smooth(-0.014, 0.012, up) * Math.exp(-Math.max(0, up) / tall) * rays * sweep
  const high = clamp(up / (tall * 2.2))
  const edge = Math.exp(-Math.abs(up - 0.006) / 0.012) * sweep * rays
  const low = mixRgb(green, teal, clamp(high * 1.6))
  add(out, mixRgb(low, violet, smooth(0.25, 0.9, high)), body * 0.72)
  add(out, green, edge * 0.34)
  add(out, rose, Math.exp(-Math.abs(up + 0.008) / 0.008) * sweep * rays * 0.1)
}

export const revonmaa: Scene = {
  slug: 'revonmaa',
  palette: ['#06121c', '#0f2f3d', '#1b6b62', '#3fd08d', '#c6f4d0'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('revonmaa-fells')
    const aurora = createNoise('revonmaa-fox-3')
    const view = createView(inner.width, inner.height, { height: 16, focal: 0.7, horizon: 0.66 })
    const above = direction(20, 52)
    const land = createMap(700, 14000, 60, (x, z) => {
      const shore = 2300 + noise.fbm(x / 1600, 3, 3) * 700 - Math.abs(x) * 0.24
      const rise = smooth(0, 2600, z - shore)
      const side = smooth(900, 2000, Math.abs(x) - z * 0.32 + noise.at(z / 500, 5) * 160)
      const base = Math.max(rise * (60 + noise.ridged(x / 2900 + 1, z / 2900, 6) * 760), side * 90)
      return base + noise.fbm(x / 300, z / 300, 3) * 9 - 7
    })
    const light = {
      sun: above,
      sunlight: hex('#3fae8a', 0.62),
      skylight: hex('#2a4a70', 0.55),
      shadows: castShadows(land, above, 0.3, 300),
      open: openness(land, 220, 1.6),
    }
    const rock = createRock(noise, 300)
    const wood = createCrowns(createRandom('revonmaa-wood'), 330, 34, 1)
    const snow = hex('#e4eef6')
    const bark = hex('#101c20')
    const frost = hex('#5f7f86')
    const ground: Ground = {
      near: 70,
      far: 14000,
      level: 0,
      step: 0.0022,
      height(x, z, distance) {
        const base = sampleMap(land, x, z)
        if (base < 0) return base
        const rough = sampleTile(rock, x, z)
        const woods = distance < 8000 ? smooth(330, 150, base + rough * 80) * smooth(1, 5, base) : 0
        return base + rough * 5 + sampleTile(wood.heights, x, z) * 17 * woods
      },
      shade(at, out) {
        const base = sampleMap(land, at.x, at.z)
        const rough = sampleTile(rock, at.x, at.z)
        const tall = sampleTile(wood.heights, at.x, at.z)
        set(out, mixRgb(bark, snow, smooth(0.35, 0.75, at.ny + rough * 0.2)))
        const woods = smooth(330, 150, base + rough * 80) * smooth(1, 5, base) * smooth(0.08, 0.3, tall)
        const dark = mixRgb(bark, frost, smooth(0.6, 1, tall) * 0.6)
        for (let c = 0; c < 3; c++) out[c]! += (dark[c]! - out[c]!) * woods
        illuminate(light, at, out)
      },
      hazes: [{ colour: hex('#16414c'), density: 0.00008, fall: 700 }],
    }
    const night = createGradient([
      [0, '#1c5560'],
      [0.1, '#123d50'],
      [0.35, '#0b2340'],
      [1, '#060f26'],
    ])
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        night(v / 0.5, out)
        curtain(aurora, u, v, { base: 0.125, lean: 0.16, seed: 1.3, tall: 0.12 }, out)
        curtain(aurora, u, v, { base: 0.2, lean: -0.3, seed: 6.1, tall: 0.15 }, out)
        curtain(aurora, u, v, { base: 0.06, lean: 0.02, seed: 11.7, tall: 0.05 }, out)
      },
      afterSky(target, mirrored) {
        drawStars(target, createRandom('revonmaa-stars'), {
          count: mirrored ? 500 : 2400,
          brightness: 0.9,
          lowest: 0.02,
        })
      },
      water: {
        roughness: 0.0045,
        wavelength: 7,
        mirror: 0.45,
        body: (_depth, _x, _z, out) => set(out, hex('#04101a')),
        tint: [0.78, 0.86, 0.9],
      },
    })
    bloom(view.picture, 0.45, 0.45, 0.05)
    return { picture: view.picture, overlays: shore(full), finish: { exposure: 1.15, grain: 7, vignette: 0.35 } }
  },
}

function shore(full: Size) {
  const random = createRandom('revonmaa-shore')
  let trees = ''
  const bank = (x: number) => 1004 - 96 * smooth(470, 0, x) ** 1.3 - 60 * smooth(1330, 1600, x) + Math.sin(x / 37) * 2
  for (let x = -20; x < 500; x += 7 + random() * 16) {
    trees += conifer(random, x, bank(x) + 6, (90 + random() * 330) * smooth(560, 40, x) ** 0.8 + 20, 0.13)
  }
  for (let x = 1345; x < 1620; x += 7 + random() * 16) {
    trees += conifer(random, x, bank(x) + 6, (50 + random() * 210) * smooth(1290, 1600, x) ** 0.8 + 16, 0.13)
  }
  let edge = 'M0 1000'
  for (let x = 0; x <= 1600; x += 8) edge += `L${x} ${n(bank(x))}`
  const cabin =
    '<path d="M1182 668l13 -9 13 9v9h-26Z" fill="#0a1417"/><path d="M1180 669l15 -11 15 11 -2 1 -13 -9 -13 9Z" fill="#b9d6d2"/>'
  const glow = `${lamp('stove', 1195, 672, 20)}<ellipse cx="1195" cy="694" rx="5" ry="15" fill="#ffb760" opacity=".32"/>`
  return [
    { svg: svg(full, `${cabin}<path d="${edge}L1600 1000Z" fill="#050d12"/><path d="${trees}" fill="#050d12"/>`) },
    { svg: svg(full, glow, lampGradient('stove', '#ffe0a0', '#ff9c40')), blend: 'screen' as const },
  ]
}
