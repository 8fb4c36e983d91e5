// Colours as linear light, gradients, and the small interpolations everything here is made of.

export type Rgb = readonly [number, number, number]
export type Stop = readonly [position: number, colour: string]

const toLinear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
export const fromLinear = (c: number) => (c <= 0.0031308 ? c * 12.92 : 1.055 * c ** (1 / 2.4) - 0.055)

function channels(text: string): [number, number, number] {
  const value = Number.parseInt(text.slice(1), 16)
  return [((value >> 16) & 255) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255]
}

/** `#rrggbb` as linear light, times `gain`. */
export function hex(text: string, gain = 1): Rgb {
  const [r, g, b] = channels(text)
  return [toLinear(r) * gain, toLinear(g) * gain, toLinear(b) * gain]
}

export const clamp = (value: number, low = 0, high = 1) => (value < low ? low : value > high ? high : value)

export const mix = (a: number, b: number, t: number) => a + (b - a) * t

/** 0 below `low`, 1 above `high`, smooth between; also the other way round. */
export function smooth(low: number, high: number, value: number): number {
  const t = clamp((value - low) / (high - low))
  return t * t * (3 - 2 * t)
}

export function mixRgb(a: Rgb, b: Rgb, t: number): Rgb {
  return [mix(a[0], b[0], t), mix(a[1], b[1], t), mix(a[2], b[2], t)]
}

/** Moves the colour in `out` towards `to` by `t`, in place: hot loops must not allocate. */
export function blend(out: Float32Array, to: Rgb, t: number): void {
  out[0]! += (to[0] - out[0]!) * t
  out[1]! += (to[1] - out[1]!) * t
  out[2]! += (to[2] - out[2]!) * t
}

export function add(out: Float32Array, colour: Rgb, amount: number): void {
  out[0]! += colour[0] * amount
  out[1]! += colour[1] * amount
  out[2]! += colour[2] * amount
}

export function set(out: Float32Array, colour: Rgb): void {
  out[0] = colour[0]
  out[1] = colour[1]
  out[2] = colour[2]
}

const steps = 1024

export type Gradient = (position: number, out: Float32Array) => void

/** A gradient by stops in [0, 1], mixed as the eye sees it rather than as light adds. */
export function createGradient(stops: readonly Stop[]): Gradient {
  const table = new Float32Array((steps + 1) * 3)
  for (let i = 0; i <= steps; i++) {
    const position = i / steps
    let k = 0
    while (k < stops.length - 2 && stops[k + 1]![0] < position) k++
    const [p0, c0] = stops[k]!
    const [p1, c1] = stops[k + 1]!
    const t = smooth(0, 1, clamp((position - p0) / (p1 - p0))) * 0.5 + clamp((position - p0) / (p1 - p0)) * 0.5
    const a = channels(c0)
    const b = channels(c1)
    for (let c = 0; c < 3; c++) table[i * 3 + c] = toLinear(mix(a[c]!, b[c]!, t))
  }
  return (position, out) => {
    const scaled = clamp(position) * steps
    const i = Math.min(steps - 1, Math.floor(scaled))
    const t = scaled - i
    for (let c = 0; c < 3; c++) out[c] = mix(table[i * 3 + c]!, table[i * 3 + 3 + c]!, t)
  }
}
