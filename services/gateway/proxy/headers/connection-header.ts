// The Connection header (RFC 9110 section 7.6.1, G8): which options it lists, and whether a request may list them.

/** Options of this connection, and headers that are not sent upstream anyway. */
const ALLOWED: ReadonlySet<string> = new Set([
  'close',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'proxy-connection',
  'http2-settings',
])

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

/** The options in lower case; undefined when one of them is no token. Empty elements do not count (RFC 9110 section 5.6.1.2). */
export function connectionOptions(value: string): string[] | undefined {
  const options = value
    .toLowerCase()
    .split(',')
    // Only spaces and tabs: `trim` would also remove other characters, which make a name malformed.
    .map((element) => element.replace(/^[\t ]+|[\t ]+$/g, ''))
    .filter((element) => element !== '')
  return options.every((option) => TOKEN.test(option)) ? options : undefined
}

/**
 * Whether a request may have this Connection header. SECURITY: the header makes a proxy drop what it names. A client that
 * names Content-Length, Host or Cookie would have the upstream read another request than the one that was checked
 * (request smuggling), so such a request is refused, not repaired. Names of absent headers change nothing.
 */
export function isAllowedConnection(value: string | undefined, isHeader: (name: string) => boolean): boolean {
  if (value === undefined || value === 'keep-alive' || value === 'close') return true
  const options = connectionOptions(value)
  return options?.every((option) => ALLOWED.has(option) || !isHeader(option)) ?? false
}
