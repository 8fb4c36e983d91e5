// Skies: painted small (they are soft), enlarged into views; sun and stars; cloud densities.
import { clamp, smooth } from './colour.ts'
import type { Random } from './noise.ts'
import { createPicture, type Picture, samplePicture } from './picture.ts'
import type { View } from './view.ts'

/** u 0 to 1 across the picture, v above the horizon in picture widths. */
export type PaintSky = (u: number, v: number, out: Float32Array) => void

export type Sky = { picture: Picture; lowest: number; highest: number }

/** Paints a sky that reaches high enough for the view and for what its water mirrors. */
export function createSky(view: View, paint: PaintSky, samples = 960): Sky {
  const lowest = -0.03
  const highest = Math.max(view.horizon, view.height - view.horizon) / view.width + 0.03
  const width = Math.min(samples, view.width)
  const height = Math.ceil(width * (highest - lowest))
  const picture = createPicture(width, height)
  const out = new Float32Array(3)
  for (let y = 0; y < height; y++) {
    const v = highest - ((y + 0.5) / height) * (highest - lowest)
    for (let x = 0; x < width; x++) {
      paint((x + 0.5) / width, v, out)
      picture.rgb.set(out, (y * width + x) * 3)
    }
  }
  return { picture, lowest, highest }
}

/** Fills a view (or its mirror, which has the same angles) with the sky. */
export function drawSky(view: View, sky: Sky): void {
  const { width, height, rgb } = view.picture
  const out = new Float32Array(3)
  for (let y = 0; y < height; y++) {
    const v = (view.horizon - y - 0.5) / width
    const sy = ((sky.highest - v) / (sky.highest - sky.lowest)) * sky.picture.height
    for (let x = 0; x < width; x++) {
      samplePicture(sky.picture, ((x + 0.5) / width) * sky.picture.width, sy, out)
      rgb.set(out, (y * width + x) * 3)
    }
  }
}

export type Stars = { count: number; brightness: number; lowest?: number; colourful?: number }

/** Points of light where the view still shows sky, fewer towards the horizon. */
export function drawStars(view: View, random: Random, stars: Stars): void {
  const { width, rgb } = view.picture
  const scale = width / 2880
  for (let i = 0; i < stars.count; i++) {
    const x = random() * width
    const v = random() * 0.75
    const size = (0.55 + random() ** 6 * 1.5) * Math.max(0.6, scale)
    const power = stars.brightness * (0.12 + random() ** 5 * 1.6) * smooth(stars.lowest ?? 0, 0.3, v)
    const tint = (random() - 0.5) * (stars.colourful ?? 0.35)
    const y = view.horizon - v * width
    for (let j = Math.floor(y - 3); j <= y + 3; j++) {
      for (let k = Math.floor(x - 3); k <= x + 3; k++) {
        if (j < 0 || k < 0 || k >= width || j >= view.height) continue
        if (view.depth[j * width + k] !== Number.POSITIVE_INFINITY) continue
        const dx = k + 0.5 - x
        const dy = j + 0.5 - y
        const light = power * Math.exp(-(dx * dx + dy * dy) / (size * size))
        const at = (j * width + k) * 3
        rgb[at]! += light * (1 + tint)
        rgb[at + 1]! += light
        rgb[at + 2]! += light * (1 - tint)
      }
    }
  }
}

/** Brightness around a light in the sky: a disc with a wide and a narrow halo. */
export function halo(u: number, v: number, su: number, sv: number, size: number): number {
  const distance = Math.hypot(u - su, v - sv)
  return Math.exp(-distance / size) + 0.6 * Math.exp(-distance / (size * 0.28))
}

/** A disc with a soft rim. */
export function disc(u: number, v: number, su: number, sv: number, radius: number): number {
  return 1 - smooth(radius * 0.94, radius * 1.06, Math.hypot(u - su, v - sv))
}

/** Where a point of the sky lies on a flat cloud deck: far near the horizon, overhead at the top. */
export function deck(u: number, v: number): { x: number; y: number } {
  const rise = Math.max(0.004, v + 0.03)
  return { x: (u - 0.5) / rise, y: 1 / rise }
}

/** A soft threshold on noise, for cloud cover. */
export const cover = (value: number, amount: number, softness: number) =>
  clamp(smooth(1 - amount - softness, 1 - amount + softness, value * 0.5 + 0.5))
