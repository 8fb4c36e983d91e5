// W3C trace context: the header that carries one trace between clients and services (G7, O7).

interface TraceParent {
  traceId: string
  parentId: string
  /** Two hex digits; the last bit says that the trace is recorded. */
  flags: string
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NOTHING = /^0+$/

/**
 * Parses a W3C traceparent; of later versions than 00 only the shared part (section 3.2.4). Undefined for anything
 * else.
 */
export function parseTraceparent(header: unknown): TraceParent | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, traceId = '', parentId = '', flags = '', more] = TRACEPARENT.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (NOTHING.test(traceId) || NOTHING.test(parentId)) return undefined
  // In a later version only the sampled flag has the same meaning.
  return { traceId, parentId, flags: version === '00' ? flags : `0${Number.parseInt(flags, 16) & 1}` }
}

/** Writes a traceparent. */
export function formatTraceparent({ traceId, parentId, flags }: TraceParent): string {
  return `00-${traceId}-${parentId}-${flags}`
}
