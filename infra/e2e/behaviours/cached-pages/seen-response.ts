// A response as two stacks must both send it: every header and byte, without what names the one response (ids, dates,
// ages, nonces) and without how the bytes were compressed.

import { Agent, request as sendRequest } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib'

export interface WrittenRequest {
  method?: string
  target: string
  /** Alternating names and values. */
  headers?: readonly string[]
  body?: string
  /** The client disconnects so many milliseconds after it has sent the request. */
  abortAfterMs?: number
}

export interface SeenResponse {
  method: string
  status: number
  /** Sorted lines. */
  headers: string[]
  body: string
  etag: string | undefined
  encoding: string | undefined
  age: string | undefined
  /** Content-Length as sent, and the bytes of the body as received. */
  length: string | undefined
  bytes: number
  /** From an entry of the gateway's page cache. */
  isEntry: boolean
  /** X-Portico-Cache. */
  cache: string | undefined
  connection: string | undefined
}

/** These name the one response, its connection, or the way that it took. */
const OF_ONE_RESPONSE: ReadonlySet<string> = new Set([
  'age',
  'date',
  'server-timing',
  'x-portico-cache',
  'x-request-id',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
])
const DECODERS: Readonly<Record<string, (body: Buffer) => Promise<Buffer>>> = {
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  gzip: promisify(gunzip),
}
const agent = new Agent({ keepAlive: true })

/** Sends exactly this request. Undefined: the connection ended without a whole response. */
export function exchange(baseUrl: string, written: WrittenRequest): Promise<SeenResponse | undefined> {
  const { method = 'GET', target, headers = [], body, abortAfterMs } = written
  const { hostname, port, host } = new URL(baseUrl)
  const own = headers.some((name, at) => at % 2 === 0 && name === 'host') ? [] : ['host', host]
  const framing = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))]
  const options = { hostname, port, path: target, method, headers: [...own, ...headers, ...framing], agent }
  return new Promise((resolve, reject) => {
    const sent = sendRequest({ ...options, setHost: false, timeout: 20_000 }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { statusCode = 0, rawHeaders } = response
        seenOf(method, statusCode, rawHeaders, Buffer.concat(chunks)).then(resolve, reject)
      })
      response.on('error', () => resolve(undefined))
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(undefined))
    sent.end(body, () => {
      if (abortAfterMs !== undefined) setTimeout(() => sent.destroy(), abortAfterMs)
    })
  })
}

async function seenOf(method: string, status: number, raw: readonly string[], body: Buffer): Promise<SeenResponse> {
  const fields = Array.from({ length: raw.length / 2 }, (_, at): [string, string] => [
    raw[2 * at]!.toLowerCase(),
    raw[2 * at + 1]!,
  ])
  const fieldOf = (name: string) => fields.find(([own]) => own === name)?.[1]
  const encoding = fieldOf('content-encoding')
  const decode = DECODERS[encoding ?? '']
  const plain = decode && body.length > 0 ? await decode(body) : body
  // The nonce of a document is in its policy and in its elements.
  const nonce = /'nonce-([^']+)'/.exec(fields.map(([, value]) => value).join(' '))?.[1]
  const apart = (text: string) => withoutDigests(nonce === undefined ? text : text.replaceAll(nonce, '(nonce)'))
  return {
    method,
    status,
    headers: fields
      .filter(([name]) => !OF_ONE_RESPONSE.has(name))
      // Counted from the render, as Age is.
      .map(([name, value]) => apart(`${name}: ${name === 'cdn-cache-control' ? value.replace(/\d+/, '(age)') : value}`))
      .sort(),
    body: apart(plain.toString('latin1')),
    etag: fieldOf('etag'),
    encoding,
    age: fieldOf('age'),
    length: fieldOf('content-length'),
    bytes: body.length,
    cache: fieldOf('x-portico-cache'),
    connection: fieldOf('connection'),
    isEntry: /^cache;desc=(?:HIT|STALE|MISS)$/.test(fieldOf('server-timing') ?? ''),
  }
}

/** Each failure has a digest of its own. */
function withoutDigests(text: string): string {
  return text.replace(/(Digest: (?:<!-- -->)?|"digest":")[0-9a-f]{10}/g, '$1(digest)')
}
