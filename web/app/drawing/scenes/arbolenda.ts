// An old wood in the hour after the mist: trunks in five distances, morning coming in from the side, in planks.
import { blend, clamp, createGradient, hex, mix, mixRgb, smooth } from '../engine/colour.ts'
import { person } from '../engine/figures.ts'
import { createNoise, createRandom, type Noise, type Random } from '../engine/noise.ts'
import { bloom, createPicture, type Picture } from '../engine/picture.ts'
import { type Scene, type Size, svg } from '../engine/scene.ts'

type Layer = { far: number; trunks: number; thick: number; ground: number; roll: number }

const layers: Layer[] = [
  { far: 1, trunks: 46, thick: 0.0065, ground: 0.6, roll: 0.012 },
  { far: 0.8, trunks: 30, thick: 0.0105, ground: 0.635, roll: 0.018 },
  { far: 0.58, trunks: 19, thick: 0.018, ground: 0.685, roll: 0.022 },
  { far: 0.34, trunks: 10, thick: 0.032, ground: 0.76, roll: 0.03 },
  { far: 0.08, trunks: 4, thick: 0.062, ground: 0.9, roll: 0.045 },
]

const sunAt = { u: 0.7, v: -0.08 }

export const arbolenda: Scene = {
  slug: 'arbolenda',
  palette: ['#14201a', '#33492f', '#76884a', '#d3c877', '#fbf3c4'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('arbolenda-moss')
    const picture = createPicture(inner.width, inner.height)
    const deep = createGradient([
      [0, '#fdf6cf'],
      [0.18, '#f1e7a8'],
      [0.42, '#c3c987'],
      [0.7, '#7f9a76'],
      [1, '#4c6a5a'],
    ])
    const out = new Float32Array(3)
    const { width, height, rgb } = picture
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const u = x / width
        const v = y / width
        const leaves = noise.fbm(u * 26, v * 26, 3) * 0.09 + noise.fbm(u * 5, v * 5, 2) * 0.08
        deep(Math.hypot((u - sunAt.u) * 0.9, (v - 0.2) * 1.25) * 1.5 + leaves, out)
        rgb.set(out, (y * width + x) * 3)
      }
    }
    layers.forEach((layer, index) => {
      drawLayer(picture, layer, index, noise, createRandom(`arbolenda-trunks-${index}`))
      mist(picture, layer, noise)
    })
    planks(picture, noise)
    bloom(picture, 0.75, 0.5, 0.05)
    return { picture, overlays: [walker(full)], finish: { exposure: 1.02, grain: 7, vignette: 0.4 } }
  },
}

const bark = hex('#2b2219')
const barkLit = hex('#8a6a3f')
const moss = hex('#4d6a24')
const fern = hex('#3c5a1e')
const fernLit = hex('#a9b84a')
const soil = hex('#2a2618')
const haze = hex('#c9cf96')
const hazeCool = hex('#7d9a80')

/** Ground, trunks and hanging leaves of one distance, each lit from the sun's side. */
function drawLayer(picture: Picture, layer: Layer, index: number, noise: Noise, random: Random): void {
  const { width, height, rgb } = picture
  const trunks = Array.from({ length: layer.trunks }, (_, k) => ({
    u: (k + 0.15 + random() * 0.7) / layer.trunks,
    thick: layer.thick * (0.6 + random() * 0.75),
    lean: (random() - 0.5) * 0.035,
    seed: random() * 100,
  })).filter((trunk) => index < 3 || Math.abs(trunk.u - 0.6) > 0.13)
  const out = new Float32Array(3)
  const line = (u: number) =>
    layer.ground * 0.625 + noise.fbm(u * 3 + index * 9, index, 3) * layer.roll + (u - 0.6) ** 2 * -0.06
  // What lies deeper is covered by the ground of the next distance.
  const next = layers[index + 1]
  const covered = next ? next.ground * 0.625 + next.roll + next.thick : 1
  for (let x = 0; x < width; x++) {
    const u = x / width
    const floor = line(u)
    const lit = Math.exp(-Math.abs(u - sunAt.u) / 0.3)
    const air = mixRgb(hazeCool, haze, lit)
    const near = trunks.filter((trunk) => Math.abs(trunk.u - u) < trunk.thick * 3 + 0.03)
    for (let y = 0; y < height; y++) {
      const v = y / width
      if (v > covered) break
      const at = (y * width + x) * 3
      let shown = 0
      for (const trunk of near) {
        const up = clamp((floor - v) / 0.5)
        const flare = 1 + 1.5 * smooth(0.1, 0, up) ** 2 + 0.25 * (1 - up)
        const middle = trunk.u + trunk.lean * up + noise.at(trunk.seed, v * 4) * trunk.thick * 0.12
        const half = trunk.thick * 0.5 * flare * (1 - up * 0.25) * (1 + noise.at(trunk.seed + 5, v * 22) * 0.05)
        const across = (u - middle) / half
        if (Math.abs(across) > 1 || v > floor + layer.thick * 0.3) continue
        const round = Math.sqrt(1 - across * across)
        const ridge = noise.fbm(
          across * 2.2 * (1 + round * 0.2) + trunk.seed,
          v * 9 * (0.02 / trunk.thick + 0.6),
          4,
          0.6,
        )
        const towards = sunAt.u > middle ? across : -across
        const light = clamp(smooth(0.25, 1, towards) * 0.95 + 0.14 + ridge * 0.24)
        const green = smooth(0.05, 0.6, noise.fbm(across + trunk.seed, v * 7, 3) + (1 - up) * 0.4 - towards * 0.3 - 0.1)
        const own = mixRgb(mixRgb(bark, barkLit, light), mixRgb(moss, fernLit, light * 0.8), green * 0.6)
        for (let c = 0; c < 3; c++)
          out[c] = mix(own[c]! * (0.62 + light * 0.9) * (0.85 + ridge * 0.35), air[c]!, layer.far * 0.84 + 0.03)
        shown = smooth(1, 0.94, Math.abs(across))
        for (let c = 0; c < 3; c++) rgb[at + c]! += (out[c]! - rgb[at + c]!) * shown
      }
      const scale = 42 / (layer.thick * 60 + 0.5)
      const fringe = noise.fbm(u * scale * 3.2, index * 7, 4, 0.62) * layer.thick * 0.55
      if (v > floor + fringe) {
        const below = v - floor
        const texture = noise.fbm(u * scale * 2.1, v * scale * 3.4, 4, 0.6)
        const patch = smooth(-0.25, 0.5, noise.fbm(u * 7 + index, v * 26, 3)) * lit
        const own = mixRgb(
          mixRgb(soil, fern, clamp(0.55 + texture)),
          fernLit,
          clamp(patch * (0.5 + texture) + texture * 0.25),
        )
        const far = clamp(layer.far * 0.8 - below * 1.3)
        for (let c = 0; c < 3; c++) rgb[at + c] = mix(own[c]! * (0.55 + patch * 0.9), air[c]!, far)
        continue
      }
      hang(rgb, at, noise, u, v, layer, index, air, lit)
    }
  }
}

/** Leaves that hang in from above, thinner towards the eye's level. */
function hang(
  rgb: Float32Array,
  at: number,
  noise: Noise,
  u: number,
  v: number,
  layer: Layer,
  index: number,
  air: readonly [number, number, number],
  lit: number,
) {
  const reach = 0.03 + (1 - layer.far) * 0.06 + noise.fbm(u * 3.2 + index * 13, index * 3, 3) * 0.12
  if (v > reach + 0.08) return
  const grain = 52 + layer.far * 60
  const leaves = noise.fbm(u * grain, v * grain * 1.2 + index * 5, 4, 0.62)
  const cover = smooth(0.02, 0.16, leaves + (reach - v) * 4.2)
  if (cover <= 0) return
  const glow = clamp(lit * 0.9 + leaves * 0.5)
  const own = mixRgb(fern, fernLit, glow)
  for (let c = 0; c < 3; c++)
    rgb[at + c]! += (mix(own[c]! * (0.4 + glow * 0.9), air[c]!, layer.far * 0.8 + 0.04) - rgb[at + c]!) * cover
}

/** A breath of mist between two distances, lowest where the ground is. */
function mist(picture: Picture, layer: Layer, noise: Noise): void {
  const { width, height, rgb } = picture
  const out = new Float32Array(3)
  const top = layer.ground * 0.625
  for (let y = 0; y < height; y++) {
    const v = y / width
    const low = Math.exp(-(((v - top) / 0.07) ** 2)) * 0.42 * layer.far + 0.035 * layer.far
    if (low < 0.004) continue
    for (let x = 0; x < width; x++) {
      const u = x / width
      const at = (y * width + x) * 3
      out[0] = rgb[at]!
      out[1] = rgb[at + 1]!
      out[2] = rgb[at + 2]!
      blend(
        out,
        mixRgb(hazeCool, haze, Math.exp(-Math.abs(u - sunAt.u) / 0.35)),
        low * (0.75 + noise.fbm(u * 4 + layer.far * 9, v * 11, 3) * 0.5),
      )
      rgb.set(out, at)
    }
  }
}

/** Shafts of light from the sun between the crowns. */
function planks(picture: Picture, noise: Noise): void {
  const { width, height, rgb } = picture
  const warm = hex('#fff0b0')
  for (let y = 0; y < height; y++) {
    const v = y / width
    for (let x = 0; x < width; x++) {
      const u = x / width
      const angle = Math.atan2(u - sunAt.u - 0.06, v - sunAt.v)
      const far = Math.hypot(u - sunAt.u - 0.06, v - sunAt.v)
      const shaft = smooth(0.05, 0.62, noise.fbm(angle * 6.5 + 2, 3.3, 3, 0.6) + 0.12)
      const fade = smooth(0.03, 0.2, far) * Math.exp(-far / 0.36) * Math.exp(-((angle / 0.95) ** 2))
      const amount = shaft * fade * (0.85 + noise.fbm(u * 6, v * 6, 2) * 0.4)
      const at = (y * width + x) * 3
      for (let c = 0; c < 3; c++) rgb[at + c]! += warm[c]! * amount * 0.8
    }
  }
}

function walker(full: Size) {
  return { svg: svg(full, person(968, 712, 34, '#39452f')) }
}
