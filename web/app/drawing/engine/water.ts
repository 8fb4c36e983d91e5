// Water: what it mirrors, broken by ripples, over what lies below.
import { clamp, type Rgb } from './colour.ts'
import { hashPair, type Noise } from './noise.ts'
import { samplePicture } from './picture.ts'
import { applyHaze, type Ground, type View } from './view.ts'

export type Water = {
  /** Slope of the ripples; 0.002 is glass, 0.03 a breeze. */
  roughness: number
  /** Metres from crest to crest of the longest ripples. */
  wavelength: number
  /** The least it mirrors, looking straight down. */
  mirror?: number
  /** Colour looking in; may depend on the metres of water. */
  body(depth: number, x: number, z: number, out: Float32Array): void
  /** What the mirrored light is tinted by. */
  tint?: Rgb
  after?(x: number, z: number, depth: number, out: Float32Array, slope: number): void
}

const octaves = 4

/** Paints every wet pixel of the view from the mirrored view. */
export function drawWater(view: View, mirror: View, ground: Ground, noise: Noise, water: Water): void {
  const { width, height, focal, horizon, eye, depth, under, picture } = view
  const level = ground.level ?? 0
  const rise = eye - level
  const body = new Float32Array(3)
  const seen = new Float32Array(3)
  const other = new Float32Array(3)
  const tint = water.tint ?? [1, 1, 1]
  for (let y = Math.max(0, Math.floor(horizon)); y < height; y++) {
    for (let column = 0; column < width; column++) {
      const pixel = y * width + column
      const below = under[pixel]!
      if (below < 0) continue
      const z = depth[pixel]!
      const x = ((column + 0.5 - width / 2) / focal) * z
      const footprint = (z * z) / (rise * focal) + z / focal
      let slopeY = 0
      let slopeX = 0
      let lost = 0
      let wave = water.wavelength
      let amplitude = 0.5
      for (let k = 0; k < octaves; k++) {
        const fade = clamp(wave / (footprint * 2.5) - 0.2)
        if (fade > 0) {
          slopeY += noise.at(x / wave / 2.2 + k * 31, z / wave) * amplitude * fade
          slopeX += noise.at(x / wave / 2.2 + k * 57, z / wave + 91) * amplitude * fade * 0.35
        }
        lost += amplitude * (1 - fade)
        wave *= 0.45
        amplitude *= 0.72
      }
      const spread = (hashPair(column, y) - 0.5) * lost * 0.9
      const shift = water.roughness * focal * 2
      const mx = (column + 0.5 + slopeX * shift) / 2
      const my = mirror.horizon - (y + 0.5 - horizon) / 2 - (slopeY + lost * 0.25) * shift * 0.5
      // Ripples too small to see blur what they mirror: two taps, scattered to either side.
      samplePicture(mirror.picture, mx, Math.min(my - spread * shift * 0.5, mirror.horizon - 0.5), seen)
      samplePicture(mirror.picture, mx, Math.min(my + spread * shift * 0.5, mirror.horizon - 0.5), other)
      for (let c = 0; c < 3; c++) seen[c] = (seen[c]! + other[c]!) * 0.5
      for (let c = 0; c < 3; c++) seen[c]! *= tint[c]!
      const facing = clamp(rise / Math.hypot(rise, z, x) + slopeY * water.roughness * 3, 0, 1)
      const least = water.mirror ?? 0.04
      const share = least + (1 - least) * (1 - facing) ** 4
      water.body(below, x, z, body)
      for (let c = 0; c < 3; c++) body[c]! += (seen[c]! - body[c]!) * share
      water.after?.(x, z, below, body, slopeY)
      applyHaze(ground, view, level, z, column, y, body)
      picture.rgb.set(body, pixel * 3)
    }
  }
}
