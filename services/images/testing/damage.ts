// Makes damaged copies of valid files, the same copies in every run.

/**
 * Changes bytes, or cuts, repeats or overwrites a piece; keeps the first eight bytes, by which the type is detected.
 */
export function damage(file: Buffer, random: () => number): Buffer {
  const at = () => 8 + Math.floor(random() * (file.length - 8))
  const copy = Buffer.from(file)
  const kind = random()
  if (kind < 0.6) {
    // Most bytes that make decoders fail are near the beginning.
    const reach = random() < 0.5 ? Math.min(file.length, 200) : file.length
    for (let change = 0; change < 1 + random() * 10; change++)
      copy[8 + Math.floor(random() * (reach - 8))] = Math.floor(random() * 256)
    return copy
  }
  const [from, to] = [at(), at()].sort((left, right) => left - right) as [number, number]
  if (kind < 0.7) return copy.subarray(0, to)
  if (kind < 0.8) return Buffer.concat([copy.subarray(0, from), copy.subarray(to)])
  if (kind < 0.9) return Buffer.concat([copy.subarray(0, to), copy.subarray(from)])
  return copy.fill(random() < 0.5 ? 0 : 255, from, Math.min(to, from + 64))
}
