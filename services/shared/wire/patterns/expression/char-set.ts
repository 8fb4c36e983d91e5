// Sets of UTF-16 code units: sorted ranges for set operations, a table of the first 256 for matching.

export interface CharSet {
  /** First and last unit of each range, sorted, without overlap. */
  ranges: readonly number[]
  /** 1 for each of the first 256 units in the set. */
  low: Uint8Array
}

const LAST = 0xffff
const LOW_UNITS = 256

/** The set of the given ranges, in any order: `charSet([97, 122, 48, 57])`. */
export function charSet(given: readonly number[]): CharSet {
  const pairs: [number, number][] = []
  for (let at = 0; at < given.length; at += 2) pairs.push([given[at]!, given[at + 1]!])
  pairs.sort(([left], [right]) => left - right)
  const ranges: number[] = []
  for (const [from, to] of pairs) {
    const last = ranges.length - 1
    if (last >= 0 && from <= ranges[last]! + 1) ranges[last] = Math.max(ranges[last]!, to)
    else ranges.push(from, to)
  }
  const low = new Uint8Array(LOW_UNITS)
  for (let at = 0; at < ranges.length; at += 2)
    low.fill(1, Math.min(ranges[at]!, LOW_UNITS), Math.min(ranges[at + 1]! + 1, LOW_UNITS))
  return { ranges, low }
}

export function negate({ ranges }: CharSet): CharSet {
  const rest: number[] = []
  let from = 0
  for (let at = 0; at < ranges.length; at += 2) {
    if (ranges[at]! > from) rest.push(from, ranges[at]! - 1)
    from = ranges[at + 1]! + 1
  }
  if (from <= LAST) rest.push(from, LAST)
  return charSet(rest)
}

export function union(...sets: readonly CharSet[]): CharSet {
  return charSet(sets.flatMap(({ ranges }) => ranges))
}

export function areDisjoint(one: CharSet, other: CharSet): boolean {
  let left = 0
  let right = 0
  while (left < one.ranges.length && right < other.ranges.length) {
    if (one.ranges[left + 1]! < other.ranges[right]!) left += 2
    else if (other.ranges[right + 1]! < one.ranges[left]!) right += 2
    else return false
  }
  return true
}

export function hasUnit({ ranges, low }: CharSet, unit: number): boolean {
  if (unit < LOW_UNITS) return low[unit] === 1
  for (let at = 0; at < ranges.length && ranges[at]! <= unit; at += 2) if (unit <= ranges[at + 1]!) return true
  return false
}

/** The set with both cases of each ASCII letter in it. */
export function inBothCases({ ranges, low }: CharSet): CharSet {
  const more: number[] = [...ranges]
  for (let unit = 65; unit <= 90; unit++) {
    if (low[unit] === 1) more.push(unit + 32, unit + 32)
    if (low[unit + 32] === 1) more.push(unit, unit)
  }
  return charSet(more)
}

export const NO_CHARS = charSet([])
export const ANY_CHAR = charSet([0, LAST])
export const DIGITS = charSet([48, 57])
export const WORD_CHARS = charSet([48, 57, 65, 90, 95, 95, 97, 122])
/** As `\s` of JavaScript. */
export const SPACES = charSet([
  9, 13, 32, 32, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000,
  0x3000, 0xfeff, 0xfeff,
])
