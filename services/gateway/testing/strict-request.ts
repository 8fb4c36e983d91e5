// For tests: a parser that accepts only requests that the gateway may send to an upstream. The parser shares no code with
// node:http and refuses what lenient parsers repair (RFC 9112).

export interface StrictRequest {
  method: string
  target: string
  /** Lower-case names; every name occurs once. */
  headers: ReadonlyMap<string, string>
  framing: 'none' | 'length' | 'chunked'
  body: string
}

type StrictResult =
  | { kind: 'request'; request: StrictRequest; rest: string }
  /** The bytes so far begin a request. */
  | { kind: 'unfinished' }
  | { kind: 'malformed'; reason: string }

class Malformed extends Error {}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const FIELD_VALUE = /^[\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/
/** The gateway's own: the build whose middleware has decided (O12), and whether it has no API handler at the address (X15). */
const OWN_FIELDS: ReadonlySet<string> = new Set(
  ['{"guard":"build1"}', '{"guard":"build1","moved":"none"}', '{"moved":"none"}'].map(
    (passed) => `portico-internal-route: ${passed}`,
  ),
)
/** RFC 9110 section 7.6.1: for one connection only. */
const NEVER_SENT = /^(keep-alive|te|trailer|upgrade|expect|http2-settings|proxy-.*|portico-internal-.*)$/

/** Reads the first request of the bytes (latin1). */
export function parseStrictRequest(bytes: string): StrictResult {
  try {
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0) {
      // Even an unfinished head holds whole lines only.
      if (/\r[^\n]|[^\r]\n|\0/.test(bytes)) throw new Malformed('a bare CR, a bare LF or a zero byte in the head')
      return { kind: 'unfinished' }
    }
    const [requestLine = '', ...lines] = bytes.slice(0, end).split('\r\n')
    const { method, target } = parseRequestLine(requestLine)
    const headers = parseFields(lines)
    const framing = framingOf(headers)
    const after = bytes.slice(end + 4)
    const body = framing === 'chunked' ? parseChunks(after) : parseLength(after, headers)
    if (!body) return { kind: 'unfinished' }
    return { kind: 'request', request: { method, target, headers, framing, body: body.text }, rest: body.rest }
  } catch (error) {
    if (error instanceof Malformed) return { kind: 'malformed', reason: error.message }
    throw error
  }
}

function parseRequestLine(line: string): { method: string; target: string } {
  const [method = '', target = '', version, ...more] = line.split(' ')
  if (!TOKEN.test(method) || !/^\/[\x21-\x7e]*$/.test(target) || version !== 'HTTP/1.1' || more.length > 0)
    throw new Malformed(`request line ${JSON.stringify(line)}`)
  return { method, target }
}

function parseFields(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, '')
    if (colon < 0 || !TOKEN.test(name) || (value !== '' && !FIELD_VALUE.test(value)))
      throw new Malformed(`header line ${JSON.stringify(line)}`)
    if (headers.has(name)) throw new Malformed(`${name} twice`)
    if (NEVER_SENT.test(name) && !OWN_FIELDS.has(`${name}: ${value}`))
      throw new Malformed(`${name} is for one connection only`)
    headers.set(name, value)
  }
  if (!headers.has('host')) throw new Malformed('no host')
  if (!/^(keep-alive|close)$/.test(headers.get('connection') ?? 'keep-alive')) throw new Malformed('connection')
  return headers
}

function framingOf(headers: ReadonlyMap<string, string>): StrictRequest['framing'] {
  const coding = headers.get('transfer-encoding')
  const length = headers.get('content-length')
  if (coding !== undefined && length !== undefined) throw new Malformed('two framings')
  if (coding !== undefined && coding !== 'chunked') throw new Malformed(`transfer-encoding ${coding}`)
  if (length !== undefined && !/^(0|[1-9]\d*)$/.test(length)) throw new Malformed(`content-length ${length}`)
  return coding === undefined ? (length === undefined ? 'none' : 'length') : 'chunked'
}

interface Body {
  text: string
  rest: string
}

function parseLength(bytes: string, headers: ReadonlyMap<string, string>): Body | undefined {
  const length = Number(headers.get('content-length') ?? 0)
  return bytes.length < length ? undefined : { text: bytes.slice(0, length), rest: bytes.slice(length) }
}

/** Without extensions and trailers: the gateway sends none. */
function parseChunks(bytes: string): Body | undefined {
  let text = ''
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return undefined
    const line = bytes.slice(at, end)
    if (!/^[0-9a-f]+$/i.test(line)) throw new Malformed(`chunk size ${JSON.stringify(line)}`)
    const size = Number.parseInt(line, 16)
    const next = end + 2 + size
    if (bytes.length < next + 2) return undefined
    if (bytes.slice(next, next + 2) !== '\r\n') throw new Malformed('the end of a chunk')
    text += bytes.slice(end + 2, next)
    at = next + 2
    if (size === 0) return { text, rest: bytes.slice(at) }
  }
}
