// A picture in linear light, and what can be done to all of it: glow, points of light, tone, grain, encoding.
import sharp from 'sharp'
import { clamp, fromLinear, type Rgb } from './colour.ts'
import { hashPair } from './noise.ts'

export type Picture = { width: number; height: number; rgb: Float32Array }

export function createPicture(width: number, height: number): Picture {
  return { width, height, rgb: new Float32Array(width * height * 3) }
}

/** Reads between the pixels; outside it repeats the edge. */
export function samplePicture(picture: Picture, x: number, y: number, out: Float32Array): void {
  const { width, height, rgb } = picture
  const cx = clamp(x - 0.5, 0, width - 1.001)
  const cy = clamp(y - 0.5, 0, height - 1.001)
  const ix = Math.floor(cx)
  const iy = Math.floor(cy)
  const tx = cx - ix
  const ty = cy - iy
  const a = (iy * width + ix) * 3
  const b = a + width * 3
  for (let c = 0; c < 3; c++) {
    const top = rgb[a + c]! + (rgb[a + 3 + c]! - rgb[a + c]!) * tx
    const bottom = rgb[b + c]! + (rgb[b + 3 + c]! - rgb[b + c]!) * tx
    out[c] = top + (bottom - top) * ty
  }
}

/** Adds a soft round light; radius in pixels. */
export function addGlow(picture: Picture, x: number, y: number, radius: number, colour: Rgb, strength = 1): void {
  const { width, height, rgb } = picture
  const reach = Math.ceil(radius * 3)
  for (let j = Math.max(0, Math.floor(y - reach)); j <= Math.min(height - 1, y + reach); j++) {
    for (let i = Math.max(0, Math.floor(x - reach)); i <= Math.min(width - 1, x + reach); i++) {
      const dx = i + 0.5 - x
      const dy = j + 0.5 - y
      const amount = strength * Math.exp(-(dx * dx + dy * dy) / (radius * radius))
      const at = (j * width + i) * 3
      rgb[at]! += colour[0] * amount
      rgb[at + 1]! += colour[1] * amount
      rgb[at + 2]! += colour[2] * amount
    }
  }
}

function blurRows(data: Float32Array, out: Float32Array, width: number, height: number, radius: number): void {
  // Writes the result turned by 90 degrees, so that two calls blur both ways.
  const span = radius * 2 + 1
  for (let y = 0; y < height; y++) {
    for (let c = 0; c < 3; c++) {
      let sum = 0
      for (let k = -radius; k <= radius; k++) sum += data[(y * width + clamp(k, 0, width - 1)) * 3 + c]!
      for (let x = 0; x < width; x++) {
        out[(x * height + y) * 3 + c] = sum / span
        const enters = Math.min(width - 1, x + radius + 1)
        const leaves = Math.max(0, x - radius)
        sum += data[(y * width + enters) * 3 + c]! - data[(y * width + leaves) * 3 + c]!
      }
    }
  }
}

/** What is brighter than `threshold` glows over `radius` (in picture widths). */
export function bloom(picture: Picture, threshold: number, strength: number, radius: number): void {
  const { width, height, rgb } = picture
  const factor = 6
  const w = Math.ceil(width / factor)
  const h = Math.ceil(height / factor)
  let small: Float32Array = new Float32Array(w * h * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const to = (Math.floor(y / factor) * w + Math.floor(x / factor)) * 3
      const from = (y * width + x) * 3
      for (let c = 0; c < 3; c++) {
        const over = rgb[from + c]! - threshold
        if (over > 0) small[to + c]! += Math.min(over, 3) / (factor * factor)
      }
    }
  }
  let spare: Float32Array = new Float32Array(w * h * 3)
  const reach = Math.max(1, Math.round((radius * width) / factor / 2))
  for (let pass = 0; pass < 3; pass++) {
    blurRows(small, spare, w, h, reach)
    blurRows(spare, small, h, w, reach)
  }
  const glow: Picture = { width: w, height: h, rgb: small }
  spare = new Float32Array(3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      samplePicture(glow, (x + 0.5) / factor, (y + 0.5) / factor, spare)
      const at = (y * width + x) * 3
      for (let c = 0; c < 3; c++) rgb[at + c]! += spare[c]! * strength
    }
  }
  small = spare
}

export type Overlay = { svg: string; blend?: 'over' | 'screen' | 'soft-light' | 'multiply' }
export type Finish = { exposure?: number; vignette?: number; grain?: number; saturation?: number }

const curveSteps = 4096

/** Highlights roll off above 0.6 instead of clipping; then the display curve, 16 bits. */
function createCurve(): Uint16Array {
  const curve = new Uint16Array(curveSteps * 4 + 1)
  for (let i = 0; i < curve.length; i++) {
    const light = i / curveSteps
    const rolled = light < 0.6 ? light : 0.6 + 0.4 * (1 - Math.exp(-(light - 0.6) / 0.4))
    curve[i] = Math.round(fromLinear(rolled) * 65535)
  }
  return curve
}

function develop(picture: Picture, finish: Finish): Uint16Array {
  const { width, height, rgb } = picture
  const curve = createCurve()
  const out = new Uint16Array(rgb.length)
  const { exposure = 1, vignette = 0.25, saturation = 1 } = finish
  for (let y = 0; y < height; y++) {
    const dy = (y / height - 0.5) * 1.1
    for (let x = 0; x < width; x++) {
      const dx = x / width - 0.5
      const gain = exposure * (1 - vignette * Math.min(1, (dx * dx + dy * dy) * 2))
      const at = (y * width + x) * 3
      const r = rgb[at]! * gain
      const g = rgb[at + 1]! * gain
      const b = rgb[at + 2]! * gain
      const grey = r * 0.2126 + g * 0.7152 + b * 0.0722
      // A quarter of a display step of dither keeps wide skies from banding.
      out[at] = curve[clamp(Math.round((grey + (r - grey) * saturation) * curveSteps), 0, curveSteps * 4)]!
      out[at + 1] = curve[clamp(Math.round((grey + (g - grey) * saturation) * curveSteps), 0, curveSteps * 4)]!
      out[at + 2] = curve[clamp(Math.round((grey + (b - grey) * saturation) * curveSteps), 0, curveSteps * 4)]!
    }
  }
  return out
}

function addGrain(pixels: Uint8Array, width: number, amount: number): void {
  for (let i = 0, x = 0, y = 0; i < pixels.length; i += 3) {
    const noise = (hashPair(x, y) + hashPair(x + 7919, y) - 1) * amount
    for (let c = 0; c < 3; c++) pixels[i + c] = clamp(Math.round(pixels[i + c]! + noise), 0, 255)
    if (++x === width) {
      x = 0
      y++
    }
  }
}

/** Develops, enlarges to the final size, lays the vector drawings over it, adds grain, encodes. */
export async function encodePicture(
  picture: Picture,
  size: { width: number; height: number },
  overlays: readonly Overlay[],
  finish: Finish,
): Promise<Buffer> {
  const raw = develop(picture, finish)
  let image = sharp(raw, { raw: { width: picture.width, height: picture.height, channels: 3 } })
    .toColourspace('rgb16')
    .resize(size.width, size.height, { kernel: 'lanczos3', fit: 'fill' })
  const enlarged = await image.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  image = sharp(enlarged.data, { raw: { width: size.width, height: size.height, channels: 3 } })
  if (overlays.length > 0) {
    image = image.composite(
      overlays.map(({ svg, blend = 'over' }) => ({ input: Buffer.from(svg), blend, top: 0, left: 0 })),
    )
  }
  const { data } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true })
  addGrain(data, size.width, finish.grain ?? 7)
  return await sharp(data, { raw: { width: size.width, height: size.height, channels: 3 } })
    .jpeg({ quality: 86, chromaSubsampling: '4:2:0' })
    .toBuffer()
}
