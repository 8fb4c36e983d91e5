// The value of a next.config.* as plain data, which crosses from the process that ran the config.

/** What config-child.ts sends. */
export type ConfigRun =
  | { kind: 'config'; value: unknown; files: string[]; changed: Record<string, string>; mdx?: MdxFiles }
  | { kind: 'fault'; message: string; stack: string; files: string[] }

/** The files that `withMDX` of `@next/mdx` compiles, as the parts of an expression. */
export interface MdxFiles {
  source: string
  flags: string
}

/** In the place of a function or another value that is no data. */
interface NotData {
  $notData: string
}

export function isNotData(value: unknown): value is NotData {
  return typeof value === 'object' && value !== null && '$notData' in value
}

/** The paths of the values that are no data, from `path` on. */
export function notDataIn(value: unknown, path: string): { path: string; what: string }[] {
  if (isNotData(value)) return [{ path, what: value.$notData }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => notDataIn(item, `${path}.${name}`))
}

/** More than any config has. Objects of wrappers may contain the same object many times, and themselves. */
const MOST_VALUES = 100_000
const NOT_DATA = [Date, Map, Set, WeakMap, WeakSet, Promise]

/** A copy without functions and classes; `new URL(…)` becomes its parts, as `images.remotePatterns` has them. */
export function toPlain(value: unknown, around: readonly unknown[] = [], count = { values: 0 }): unknown {
  const not = ($notData: string): NotData => ({ $notData })
  count.values++
  if (value instanceof URL) return partsOf(value)
  if (value instanceof RegExp) return not(String(value))
  if (typeof value === 'function') return not('a function')
  if (typeof value === 'bigint' || typeof value === 'symbol') return not(String(value))
  // JSON has no such number.
  if (typeof value === 'number' && !Number.isFinite(value)) return not(String(value))
  if (typeof value !== 'object' || value === null) return value
  const special = NOT_DATA.find((kind) => value instanceof kind)
  if (special) return not(`a ${special.name}`)
  if (around.includes(value)) return not('an object that contains itself')
  if (count.values > MOST_VALUES) return not('an object with too many members')
  const plain = (item: unknown) => toPlain(item, [...around, value], count)
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]))
}

function partsOf({ protocol, hostname, port, pathname, search }: URL) {
  return { protocol: protocol.slice(0, -1), hostname, port, pathname, search }
}
