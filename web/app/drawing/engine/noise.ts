// Seeded randomness: a stream of numbers and smooth noise fields. The same seed gives the same picture, always.

export type Random = () => number

function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** A stream of numbers in [0, 1) (mulberry32). */
export function createRandom(seed: string): Random {
  let state = hashText(seed)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** A number in [0, 1) for a pair of integers; for grain and dither. */
export function hashPair(x: number, y: number): number {
  let h = Math.imul(x, 0x27d4eb2d) ^ Math.imul(y, 0x165667b1)
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296
}

export type Noise = {
  /** Gradient noise, about [-1, 1]. */
  at(x: number, y: number): number
  /** Sum of octaves, about [-1, 1]. */
  fbm(x: number, y: number, octaves: number, gain?: number): number
  /** Sharp crests, [0, 1]; each octave weighted by the one before, so valleys stay smooth. */
  ridged(x: number, y: number, octaves: number, gain?: number): number
  /** Distance to the nearest and second nearest jittered point, and that point's own number. */
  cells(x: number, y: number): { first: number; second: number; id: number }
}

const lacunarity = 2.03

/** Noise fields of one seed. */
export function createNoise(seed: string): Noise {
  const random = createRandom(seed)
  const table = new Uint16Array(2048)
  for (let i = 0; i < 1024; i++) table[i] = i
  for (let i = 1023; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const swap = table[i]!
    table[i] = table[j]!
    table[j] = swap
  }
  table.copyWithin(1024, 0, 1024)
  const gx = new Float64Array(1024)
  const gy = new Float64Array(1024)
  for (let i = 0; i < 1024; i++) {
    const angle = random() * Math.PI * 2
    gx[i] = Math.cos(angle) * 1.5
    gy[i] = Math.sin(angle) * 1.5
  }

  function at(x: number, y: number): number {
    const fx = Math.floor(x)
    const fy = Math.floor(y)
    const dx = x - fx
    const dy = y - fy
    const ix = fx & 1023
    const row0 = table[fy & 1023]!
    const row1 = table[(fy + 1) & 1023]!
    const a = table[ix + row0 < 2048 ? ix + row0 : ix + row0 - 1024]!
    const b = table[(ix + 1 + row0) & 1023]!
    const c = table[(ix + row1) & 1023]!
    const d = table[(ix + 1 + row1) & 1023]!
    const u = dx * dx * dx * (dx * (dx * 6 - 15) + 10)
    const v = dy * dy * dy * (dy * (dy * 6 - 15) + 10)
    const n0 = gx[a]! * dx + gy[a]! * dy
    const n1 = gx[b]! * (dx - 1) + gy[b]! * dy
    const n2 = gx[c]! * dx + gy[c]! * (dy - 1)
    const n3 = gx[d]! * (dx - 1) + gy[d]! * (dy - 1)
    const top = n0 + (n1 - n0) * u
    return top + (n2 + (n3 - n2) * u - top) * v
  }

  function fbm(x: number, y: number, octaves: number, gain = 0.5): number {
    let sum = 0
    let amplitude = 1
    let total = 0
    for (let i = 0; i < octaves; i++) {
      sum += at(x, y) * amplitude
      total += amplitude
      amplitude *= gain
      const t = x * lacunarity * 0.8 - y * lacunarity * 0.6 + 17.3
      y = x * lacunarity * 0.6 + y * lacunarity * 0.8 - 9.1
      x = t
    }
    return (sum / total) * 1.4
  }

  function ridged(x: number, y: number, octaves: number, gain = 0.5): number {
    let sum = 0
    let amplitude = 1
    let total = 0
    let weight = 1
    for (let i = 0; i < octaves; i++) {
      let crest = 1 - Math.abs(at(x, y)) * 1.25
      if (crest < 0) crest = 0
      crest = crest * crest * weight
      weight = crest * 1.8
      if (weight > 1) weight = 1
      sum += crest * amplitude
      total += amplitude
      amplitude *= gain
      const t = x * lacunarity * 0.8 - y * lacunarity * 0.6 + 31.7
      y = x * lacunarity * 0.6 + y * lacunarity * 0.8 + 5.9
      x = t
    }
    return sum / total
  }

  const result = { first: 0, second: 0, id: 0 }
  function cells(x: number, y: number): { first: number; second: number; id: number } {
    const fx = Math.floor(x)
    const fy = Math.floor(y)
    let first = 9
    let second = 9
    let id = 0
    for (let j = -1; j <= 1; j++) {
      for (let i = -1; i <= 1; i++) {
        const cell = table[((fx + i) & 1023) + table[(fy + j) & 1023]!]!
        const px = i + 0.15 + 0.7 * ((cell & 31) / 31) - (x - fx)
        const py = j + 0.15 + 0.7 * ((cell >> 5) / 31) - (y - fy)
        const distance = px * px + py * py
        if (distance < first) {
          second = first
          first = distance
          id = cell / 1023
        } else if (distance < second) second = distance
      }
    }
    result.first = Math.sqrt(first)
    result.second = Math.sqrt(second)
    result.id = id
    return result
  }

  return { at, fbm, ridged, cells }
}
