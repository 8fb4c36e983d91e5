// Small maps that repeat without a seam: rock detail, sand ripples, the crowns of a wood.
import { clamp } from './colour.ts'
import type { Noise, Random } from './noise.ts'

export type Tile = { size: number; period: number; data: Float32Array }

/** Reads between the samples; size is a power of two. */
export function sampleTile(tile: Tile, x: number, z: number): number {
  const { size, data } = tile
  const scale = size / tile.period
  const mx = x * scale
  const mz = z * scale
  const fx = Math.floor(mx)
  const fz = Math.floor(mz)
  const tx = mx - fx
  const tz = mz - fz
  const mask = size - 1
  const i = fx & mask
  const j = fz & mask
  const i1 = (i + 1) & mask
  const r0 = j * size
  const r1 = ((j + 1) & mask) * size
  const a = data[r0 + i]!
  const c = data[r1 + i]!
  const top = a + (data[r0 + i1]! - a) * tx
  return top + (c + (data[r1 + i1]! - c) * tx - top) * tz
}

/** A repeating patch of noise: opposite edges are faded into each other. `value` is asked in [0, 2). */
export function createTile(size: number, period: number, value: (u: number, v: number) => number): Tile {
  const data = new Float32Array(size * size)
  for (let j = 0; j < size; j++) {
    for (let i = 0; i < size; i++) {
      const u = i / size
      const v = j / size
      const wide = clamp(u * 3)
      const long = clamp(v * 3)
      const a = value(u, v) * wide + (wide < 1 ? value(u + 1, v) * (1 - wide) : 0)
      const b = long < 1 ? value(u, v + 1) * wide + (wide < 1 ? value(u + 1, v + 1) * (1 - wide) : 0) : 0
      data[j * size + i] = a * long + b * (1 - long)
    }
  }
  return { size, period, data }
}

/** Rough rock, about [-1, 1]. */
export function createRock(noise: Noise, period: number, grains = 6): Tile {
  return createTile(512, period, (u, v) => {
    const crest = noise.ridged(u * grains, v * grains, 5, 0.55) * 2 - 0.9
    return crest * 0.7 + noise.fbm(u * grains * 5, v * grains * 5, 2) * 0.3
  })
}

export type Crowns = { heights: Tile; tints: Tile }

/** The crowns of a wood from above: height 0 to 1, and a number per tree. `shape` 1 is a cone, 2 a dome. */
export function createCrowns(random: Random, period: number, trees: number, shape: number): Crowns {
  const size = 512
  const heights = new Float32Array(size * size)
  const tints = new Float32Array(size * size).fill(0.5)
  const spacing = size / trees
  for (let j = 0; j < trees; j++) {
    for (let i = 0; i < trees; i++) {
      const x = (i + 0.1 + random() * 0.8) * spacing
      const z = (j + 0.1 + random() * 0.8) * spacing
      const tall = 0.55 + random() * 0.45
      const wide = spacing * (0.55 + random() * 0.3)
      const tint = random()
      const reach = Math.ceil(wide)
      for (let b = -reach; b <= reach; b++) {
        for (let a = -reach; a <= reach; a++) {
          const px = Math.floor(x) + a
          const pz = Math.floor(z) + b
          const distance = Math.hypot(px + 0.5 - x, pz + 0.5 - z) / wide
          if (distance >= 1) continue
          const value = tall * (1 - distance ** shape)
          const at = (pz & (size - 1)) * size + (px & (size - 1))
          if (value > heights[at]!) {
            heights[at] = value
            tints[at] = tint
          }
        }
      }
    }
  }
  return { heights: { size, period, data: heights }, tints: { size, period, data: tints } }
}
