// The value of a next.config.* as plain data, which crosses from the process that ran the config.

/** What config-child.ts sends. */
export type ConfigRun =
  | { kind: 'config'; value: unknown; files: string[]; changed: Record<string, string> }
  | { kind: 'fault'; message: string; stack: string; files: string[] }

/** In the place of a function or another value that is no data. */
export interface NotData {
  $notData: string
}

export function isNotData(value: unknown): value is NotData {
  return typeof value === 'object' && value !== null && '$notData' in value
}

/** A copy without functions and classes; `new URL(…)` becomes its parts, as `images.remotePatterns` has them. */
export function toPlain(value: unknown, depth = 0): unknown {
  if (value instanceof URL) return partsOf(value)
  if (value instanceof RegExp) return { $notData: String(value) } satisfies NotData
  if (typeof value === 'function') return { $notData: 'a function' } satisfies NotData
  if (typeof value === 'bigint' || typeof value === 'symbol') return { $notData: String(value) } satisfies NotData
  if (typeof value !== 'object' || value === null) return value
  // Objects of wrappers may refer to themselves.
  if (depth > MOST_DEPTH) return { $notData: 'an object' } satisfies NotData
  if (Array.isArray(value)) return value.map((item) => toPlain(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toPlain(item, depth + 1)]))
}

/** Deeper than any field of the config. */
const MOST_DEPTH = 8

function partsOf({ protocol, hostname, port, pathname, search }: URL) {
  return { protocol: protocol.slice(0, -1), hostname, port, pathname, search }
}
