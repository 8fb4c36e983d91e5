// W3C trace context: the header by which services, and whoever asks them, tell one trace (G7, O7).

export interface TraceParent {
  traceId: string
  parentId: string
  /** Two hex digits; the last bit says that the trace is recorded. */
  flags: string
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NOTHING = /^0+$/

/** Reads a W3C traceparent; of versions after 00 the part that they share with it (section 3.2.4). Undefined for anything else. */
export function parseTraceparent(header: unknown): TraceParent | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (NOTHING.test(traceId) || NOTHING.test(parentId)) return undefined
  // Of a later version's flags only the sampled one means the same.
  return { traceId, parentId, flags: version === '00' ? flags : `0${Number.parseInt(flags, 16) & 1}` }
}

/** Writes the header. */
export function formatTraceparent({ traceId, parentId, flags }: TraceParent): string {
  return `00-${traceId}-${parentId}-${flags}`
}
