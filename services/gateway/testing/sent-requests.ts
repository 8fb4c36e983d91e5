// For tests: reads the bytes of a client by RFC 9112 without node:http: the requests, the end of each, and whether a gateway
// may pass the request on. Bytes behind a doubtful request are no request.

export interface SentRequest {
  method: string
  target: string
  /** Decoded; undefined when it is unfinished or malformed. */
  body: string | undefined
  /** Framing, Host and Connection allow a gateway to pass the request on. */
  mayPass: boolean
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const ALLOWED_OPTIONS = /^(close|keep-alive|upgrade|te|trailer|proxy-connection|http2-settings)$/
const WRITTEN_BY_GATEWAY =
  /^(host|connection|content-length|transfer-encoding|traceparent|x-request-id|x-forwarded-.*|portico-internal-.*)$/

interface Head {
  method: string
  target: string
  version: string
  fields: [name: string, value: string][]
  /** Index of the first byte behind the head. */
  end: number
}

/** The requests of one connection in order. */
export function readSentRequests(bytes: string): SentRequest[] {
  const requests: SentRequest[] = []
  let rest = bytes
  for (;;) {
    // RFC 9112 section 2.2: empty lines before a request line do not count; a line may end in LF alone.
    rest = rest.replace(/^[\r\n]+/, '')
    const head = readHead(rest)
    if (!head) return requests
    const { method, target, fields, version, end } = head
    const framing = framingOf(fields, version)
    const mayPass = framing !== undefined && hasOneHost(fields) && mayHaveConnection(fields) && /^\/[^#]*$/.test(target)
    const body = framing && readBody(rest.slice(end), framing)
    requests.push({ method, target, body: mayPass ? body?.text : undefined, mayPass: mayPass && method !== 'TRACE' })
    if (!mayPass || !body) return requests
    rest = body.rest
  }
}

function readHead(bytes: string): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.slice(0, end).split('\r\n')
  const [, method = '', target = '', version = ''] = /^(\S+) ([\x21-\x7e\x80-\xff]+) HTTP\/(1\.[01])$/.exec(first) ?? []
  if (!TOKEN.test(method)) return undefined
  const fields: [string, string][] = []
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (!TOKEN.test(line.slice(0, Math.max(colon, 0))) || !FIELD_VALUE.test(line)) return undefined
    fields.push([line.slice(0, colon).toLowerCase(), line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, '')])
  }
  return { method, target, version, fields, end: end + 4 }
}

const valuesOf = (fields: Head['fields'], name: string) =>
  fields.filter(([own]) => own === name).map(([, value]) => value)

type Framing = { kind: 'length'; bytes: number } | { kind: 'chunked' }

function framingOf(fields: Head['fields'], version: string): Framing | undefined {
  const [codings, lengths] = [valuesOf(fields, 'transfer-encoding'), valuesOf(fields, 'content-length')]
  if (codings.length + lengths.length > 1) return undefined
  if (codings.length === 1) return /^chunked$/i.test(codings[0]!) && version === '1.1' ? { kind: 'chunked' } : undefined
  if (lengths.length === 1 && !/^\d{1,15}$/.test(lengths[0]!)) return undefined
  return { kind: 'length', bytes: Number(lengths[0] ?? 0) }
}

function hasOneHost(fields: Head['fields']): boolean {
  const hosts = valuesOf(fields, 'host')
  return hosts.length === 1 && /^[a-z0-9.-]+(:\d{1,5})?$/i.test(hosts[0]!)
}

function mayHaveConnection(fields: Head['fields']): boolean {
  const options = valuesOf(fields, 'connection').flatMap((value) => value.toLowerCase().split(','))
  return options
    .map((option) => option.replace(/^[\t ]+|[\t ]+$/g, ''))
    .filter((option) => option !== '' && !ALLOWED_OPTIONS.test(option))
    .every((option) => TOKEN.test(option) && !WRITTEN_BY_GATEWAY.test(option) && valuesOf(fields, option).length === 0)
}

function readBody(bytes: string, framing: Framing): { text: string; rest: string } | undefined {
  if (framing.kind === 'length')
    return bytes.length < framing.bytes
      ? undefined
      : { text: bytes.slice(0, framing.bytes), rest: bytes.slice(framing.bytes) }
  let text = ''
  for (let at = 0; ; ) {
    // Extensions may be there (RFC 9112 section 7.1.1) and are not passed on.
    const size = /^([0-9A-Fa-f]{1,8})(;[\w-]+(=[\w-]+)?)*\r\n/.exec(bytes.slice(at, at + 300))
    if (!size) return undefined
    const begin = at + size[0].length
    const end = begin + Number.parseInt(size[1]!, 16)
    if (end === begin) return readTrailers(bytes.slice(begin), text)
    if (bytes.slice(end, end + 2) !== '\r\n') return undefined
    text += bytes.slice(begin, end)
    at = end + 2
  }
}

function readTrailers(bytes: string, text: string): { text: string; rest: string } | undefined {
  if (bytes.startsWith('\r\n')) return { text, rest: bytes.slice(2) }
  const end = bytes.indexOf('\r\n\r\n')
  const lines = bytes.slice(0, Math.max(end, 0)).split('\r\n')
  // RFC 9110 section 6.5.1: no framing in trailers.
  const areFields = lines.every((line) => /^(?!content-length:|transfer-encoding:)[\w-]+:[\t\x20-\x7e]*$/i.test(line))
  return end < 0 || !areFields ? undefined : { text, rest: bytes.slice(end + 4) }
}
