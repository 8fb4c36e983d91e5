// Square maps of numbers over the ground: heights, shadow, cover. x runs to the right of the camera, z away from it.

export type HeightMap = { size: number; span: number; left: number; near: number; data: Float32Array }

/** A map of `size` x `size` samples over `span` metres, centred in x, beginning at `near` in z. */
export function createMap(
  size: number,
  span: number,
  near: number,
  value: (x: number, z: number) => number,
): HeightMap {
  const data = new Float32Array(size * size)
  const cell = span / (size - 1)
  for (let j = 0; j < size; j++) {
    for (let i = 0; i < size; i++) data[j * size + i] = value(-span / 2 + i * cell, near + j * cell)
  }
  return { size, span, left: -span / 2, near, data }
}

/** Reads between the samples; outside the map it repeats the edge. */
export function sampleMap(map: HeightMap, x: number, z: number): number {
  const { size, data } = map
  const scale = (size - 1) / map.span
  let mx = (x - map.left) * scale
  let mz = (z - map.near) * scale
  const last = size - 1.001
  mx = mx < 0 ? 0 : mx > last ? last : mx
  mz = mz < 0 ? 0 : mz > last ? last : mz
  const i = mx | 0
  const j = mz | 0
  const tx = mx - i
  const tz = mz - j
  const at = j * size + i
  const a = data[at]!
  const b = data[at + 1]!
  const c = data[at + size]!
  const d = data[at + size + 1]!
  const top = a + (b - a) * tx
  return top + (c + (d - c) * tx - top) * tz
}

export type Direction = { x: number; y: number; z: number }

/** A direction by degrees: azimuth 0 is straight ahead, 90 to the right, 180 behind the camera. */
export function direction(azimuth: number, elevation: number): Direction {
  const a = (azimuth * Math.PI) / 180
  const e = (elevation * Math.PI) / 180
  return { x: Math.sin(a) * Math.cos(e), y: Math.sin(e), z: Math.cos(a) * Math.cos(e) }
}

/** How much of the sun each sample sees, 0 to 1, with a soft edge. */
export function castShadows(map: HeightMap, sun: Direction, softness = 0.06, size = 384): HeightMap {
  const flat = Math.hypot(sun.x, sun.z)
  const rise = sun.y / flat
  const cell = map.span / size
  const dx = sun.x / flat
  const dz = sun.z / flat
  let highest = -1e9
  for (const value of map.data) if (value > highest) highest = value
  return createMap(size, map.span, map.near, (x, z) => {
    const start = sampleMap(map, x, z)
    let light = 1
    for (let far = cell; far < map.span; far += cell * 0.8 + far * 0.03) {
      const ray = start + far * rise
      if (ray > highest) break
      const clear = (ray - sampleMap(map, x + dx * far, z + dz * far)) / far / softness + 0.5
      if (clear < light) light = clear
      if (light <= 0) return 0
    }
    return light
  })
}

/** How open each sample is to the sky: 1 on crests, towards 0 in gullies. */
export function openness(map: HeightMap, radius: number, strength: number, size = 384): HeightMap {
  return createMap(size, map.span, map.near, (x, z) => {
    let around = 0
    for (let k = 0; k < 8; k++) {
      const reach = radius * (k % 2 === 0 ? 1 : 0.45)
      around += sampleMap(map, x + Math.cos(k * 0.785) * reach, z + Math.sin(k * 0.785) * reach)
    }
    const value = 0.6 + ((sampleMap(map, x, z) - around / 8) / radius) * strength
    return value < 0.15 ? 0.15 : value > 1 ? 1 : value
  })
}
