// Plays the requests of a form to a whole stack, one after the other, and reads each response as bytes.

import { createServer, request as sendRequest } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib'
import { createRandom } from '@portico/shared/kit/testing/random.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { dataUrl } from '@portico/shared/wire/routing/urls.ts'
import { craftRequests } from '../e2e/behaviours/cached-pages/crafted-requests.ts'
import { createFleet } from '../e2e/faults/replicas/fleet.ts'
import { OTHER_PORT, type RecordedForm } from './sites.ts'

export interface Exchanged {
  /** `GET /path`, and the request's rows. */
  request: string
  /** Undefined: the connection ended without a whole response. */
  response: string | undefined
}

const PATHS = [
  ...['/', '/about', '/gone', '/none', '/nowhere', '/404', '/pick', '/gated', '/form', '/big/a', '/old/a', '/alias/a'],
  ...['/posts/known', '/posts/{fresh}', '/posts/a%2Fb%20%C3%A9', '/posts/hidden', '/posts/missing', '/posts/moved'],
  ...[
    '/posts/moved-for-good',
    '/posts/broken',
    '/open/a',
    '/widgets/a',
    '/known/one',
    '/known/other',
    '/shell/missing',
  ],
  ...['/files/a/b/c', '/docs', '/docs/a/b', '/me', '/me/a/b', '/writer', '/forger', '/nonce', '/streamed'],
  ...['/api/forged', '/api/echo', '/api/nothing', '/note.txt', '/long.txt', '/dot.svg', '/docs-of-others/a'],
  ...['/de/about', '/de/me', '/fr', '/fr/posts/known'],
] as const
const ENCODINGS = ['', 'br', 'zstd', 'gzip', 'gzip, deflate, br, zstd'] as const
const ROWS_AT_ONCE = 12

interface PlayOptions {
  /** The folder of the built site. */
  appDir: string
  dataDir: string
  manifest: Manifest
  seed: number
  count: number
  onExchange: (exchanged: Exchanged) => void
}

/** Starts the stack of a form, plays `count` requests, and stops it. */
export async function play({ environment }: RecordedForm, options: PlayOptions): Promise<void> {
  const { appDir, dataDir, manifest, seed, count, onExchange } = options
  const other = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('x-other', '1').end(`other ${request.method} ${request.url}`))
  })
  await new Promise<void>((done) => other.listen(OTHER_PORT, '127.0.0.1', done))
  const own = { REWRITE_INNER_HOSTS: '127.0.0.1', ACCESS_LINES_PER_CLIENT: '0' }
  const fleet = await createFleet({ appDir, dataDir })
  try {
    await Promise.all([fleet.start('renderer'), fleet.start('actions'), fleet.start('images')])
    const { address, port } = await fleet.start('gateway', { ...own, ...environment })
    const random = createRandom(seed)
    const statics = Object.keys(manifest.staticFiles).map((name) => `${manifest.basePath}/_portico/static/${name}`)
    let sent = 0
    while (sent < count)
      for (const crafted of craftRequests(ROWS_AT_ONCE, random)) {
        const path = random.pick(PATHS).replace('{fresh}', `fresh-${sent}`)
        const kind = random.below(8)
        const written = pageUrl(manifest, path)
        const target =
          kind === 0 ? random.pick(statics) : kind < 3 ? dataUrl(manifest.basePath, manifest.buildId, path) : written
        const encoding = random.pick(ENCODINGS)
        const isSet = crafted.headers.includes('accept-encoding')
        const headers = [...crafted.headers, ...(encoding && !isSet ? ['accept-encoding', encoding] : [])]
        const request = { ...crafted, headers, target: crafted.target(target) }
        const response = await exchange(address, port, request)
        onExchange({ request: `${crafted.method} ${target} | ${encoding} | ${crafted.name}`, response })
        if (++sent === count) break
      }
  } finally {
    await fleet.close()
    other.close().closeAllConnections()
  }
}

function pageUrl({ basePath, trailingSlash }: Manifest, path: string): string {
  const hasNone = path.endsWith('/') || path.startsWith('/api/') || /\.\w+$/.test(path)
  return basePath + path + (trailingSlash && !hasNone ? '/' : '')
}

interface Written {
  method: string
  target: string
  headers: readonly string[]
  body?: string
}

const TIME_LIMIT_MS = 20_000

function exchange(host: string, port: number, { method, target, headers, body }: Written): Promise<string | undefined> {
  const own = headers.some((name, at) => at % 2 === 0 && name === 'host') ? [] : ['host', 'site.example']
  const framing = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))]
  return new Promise((resolve, reject) => {
    const sent = sendRequest(
      { host, port, path: target, method, headers: [...own, ...headers, ...framing], agent: false, setHost: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', () => resolve(undefined))
        response.on('end', () => {
          const { statusCode = 0, statusMessage = '', rawHeaders } = response
          textOf(`${statusCode} ${statusMessage}`, rawHeaders, Buffer.concat(chunks)).then(resolve, reject)
        })
      },
    )
    sent.setTimeout(TIME_LIMIT_MS, () => sent.destroy())
    sent.on('error', () => resolve(undefined))
    sent.end(body)
  })
}

const DECODERS: Readonly<Record<string, (body: Buffer) => Promise<Buffer>>> = {
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  gzip: promisify(gunzip),
}

const DIGEST = /(Digest: (?:<!-- -->)?|"digest":")[0-9a-f]{10}/

/** Status, headers by name, body; without what names the one response or measures it. */
async function textOf(status: string, raw: readonly string[], body: Buffer): Promise<string> {
  const lines = Array.from(
    { length: raw.length / 2 },
    (_, at) => [raw[2 * at]!.toLowerCase(), raw[2 * at + 1]!] as const,
  )
    // The order of lines with different names has no meaning (RFC 9110 section 5.3).
    .sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
    .map(([name, value]) => `${name}: ${value}`)
  const all = lines.join('\n')
  const encoding = /^content-encoding: (\w+)$/im.exec(all)?.[1] ?? ''
  const decode = DECODERS[encoding]
  const plain = decode && body.length > 0 ? await decode(body) : body
  const nonce = /'nonce-([^']+)'/.exec(all)?.[1]
  const text = `${status}\n${all.replace(/^(server-timing): .*$/im, '$1: (times)')}\n\n${plain.toString('latin1')}`
  const isOwn = nonce !== undefined || DIGEST.test(text)
  return (
    (nonce === undefined ? text : text.replaceAll(nonce, '(nonce)'))
      // Compressed, random letters are of various lengths.
      .replace(/^content-length: .*$/im, (line) => (isOwn && encoding !== '' ? 'content-length: (own)' : line))
      .replace(new RegExp(DIGEST, 'g'), '$1(digest)')
      .replace(/^(date|age|x-request-id): .*$/gim, '$1: (own)')
      .replace(/^(cdn-cache-control: public, max-age=)\d+/im, '$1(age)')
  )
}
