// Rain on a height map: drops run down, take ground where they are quick and leave it where they are slow.
import type { HeightMap } from './heightmap.ts'
import type { Random } from './noise.ts'

export type Rain = { drops: number; steps?: number; take?: number; leave?: number; capacity?: number }

type Brush = { offsets: [number, number, number][] }

function createBrush(radius: number): Brush {
  const offsets: [number, number, number][] = []
  let total = 0
  for (let j = -radius; j <= radius; j++) {
    for (let i = -radius; i <= radius; i++) {
      const weight = Math.max(0, radius + 0.5 - Math.hypot(i, j))
      total += weight
      if (weight > 0) offsets.push([i, j, weight])
    }
  }
  for (const offset of offsets) offset[2] /= total
  return { offsets }
}

/** Erodes in place. Heights are scaled to cells first, so the same numbers work for every span. */
export function erode(map: HeightMap, random: Random, rain: Rain): void {
  const { size, data } = map
  const cell = map.span / (size - 1)
  for (let i = 0; i < data.length; i++) data[i]! /= cell
  const brush = createBrush(2)
  const { drops, steps = 40, take = 0.3, leave = 0.3, capacity = 6 } = rain
  for (let drop = 0; drop < drops; drop++) {
    runDrop(data, size, random() * (size - 8) + 4, random() * (size - 8) + 4, { steps, take, leave, capacity }, brush)
  }
  for (let i = 0; i < data.length; i++) data[i]! *= cell
}

function runDrop(
  data: Float32Array,
  size: number,
  x: number,
  z: number,
  rain: { steps: number; take: number; leave: number; capacity: number },
  brush: Brush,
): void {
  let dx = 0
  let dz = 0
  let speed = 1
  let water = 1
  let load = 0
  for (let step = 0; step < rain.steps; step++) {
    const i = x | 0
    const j = z | 0
    const tx = x - i
    const tz = z - j
    const at = j * size + i
    const a = data[at]!
    const b = data[at + 1]!
    const c = data[at + size]!
    const d = data[at + size + 1]!
    const gx = (b - a) * (1 - tz) + (d - c) * tz
    const gz = (c - a) * (1 - tx) + (d - b) * tx
    const height = a + (b - a) * tx + (c - a) * tz + (a - b - c + d) * tx * tz
    dx = dx * 0.1 - gx * 0.9
    dz = dz * 0.1 - gz * 0.9
    const length = Math.sqrt(dx * dx + dz * dz)
    if (length < 1e-6) return
    dx /= length
    dz /= length
    x += dx
    z += dz
    if (x < 4 || z < 4 || x > size - 5 || z > size - 5) return
    const ni = x | 0
    const nj = z | 0
    const ux = x - ni
    const uz = z - nj
    const nat = nj * size + ni
    const na = data[nat]!
    const fall =
      na +
      (data[nat + 1]! - na) * ux +
      (data[nat + size]! - na) * uz +
      (na - data[nat + 1]! - data[nat + size]! + data[nat + size + 1]!) * ux * uz -
      height
    const room = Math.max(-fall, 0.01) * speed * water * rain.capacity
    if (load > room || fall > 0) {
      const left = fall > 0 ? Math.min(fall, load) : (load - room) * rain.leave
      load -= left
      data[at]! += left * (1 - tx) * (1 - tz)
      data[at + 1]! += left * tx * (1 - tz)
      data[at + size]! += left * (1 - tx) * tz
      data[at + size + 1]! += left * tx * tz
    } else {
      const taken = Math.min((room - load) * rain.take, -fall)
      for (const [oi, oj, weight] of brush.offsets) data[at + oj * size + oi]! -= taken * weight
      load += taken
    }
    speed = Math.sqrt(Math.max(0.05, speed * speed - fall * 0.4))
    water *= 0.985
  }
}
