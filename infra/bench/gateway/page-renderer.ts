// A substitute of a renderer, in its own process: pages of fixed bytes, entries for the gateway's page cache, and verdicts
// of middleware.
//
//   node infra/bench/gateway/page-renderer.ts <port> <inner port>

import type { ChildProcess } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { INTERNAL_HEADERS, MIDDLEWARE_PATH } from '@portico/shared/wire/constants.ts'
import { formatVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { ENTRY_PATH, type EntryFacts, formatEntry, parseEntryQuery } from '@portico/shared/wire/page-entry.ts'
import { startNode, waitFor } from '../processes.ts'
import type { ServiceAddress } from './gateway-process.ts'
import { LARGE_PAGE_BYTES, PAGE_BYTES, pageText } from './pages.ts'

const VERSION = 'bench.x'
/** Bytes of one of the many pages that fill the memory; as hexadecimal digits they shrink to half. */
const ONE_OF_MANY_BYTES = 20 * 1024
const FACTS: EntryFacts = {
  version: VERSION,
  verdict: 'HIT',
  confirmation: 'confirmed',
  ageMs: 0,
  freshMs: null,
  tags: [],
}
const NEXT = formatVerdict({ kind: 'next', responseHeaders: [['set-cookie', 'seen=1; Path=/']] })
const POLICY = {
  name: 'content-security-policy',
  value: "default-src 'self'; script-src 'self' 'sha256-0000000000000000000000000000000000000000000='; base-uri 'self'",
} as const

if (import.meta.main) {
  const [port, innerPort] = process.argv.slice(2).map(Number)
  serve(Number(port), sendPage)
  serve(Number(innerPort), sendInner)
}

/** Starts the substitute and adds it to `children`; resolves with its addresses when it responds. */
export async function startPageRenderer(children: ChildProcess[]): Promise<ServiceAddress> {
  const [port, innerPort] = [await freePort(), await freePort()]
  children.push(startNode([import.meta.filename, String(port), String(innerPort)]))
  const every = { url: `http://127.0.0.1:${port}`, innerUrl: `http://127.0.0.1:${innerPort}` }
  await waitFor(`${every.url}/`)
  return every
}

const page = Buffer.from(pageText(PAGE_BYTES))
const large = Buffer.from(pageText(LARGE_PAGE_BYTES))

function sendPage(request: Parameters<RequestListener>[0], response: Parameters<RequestListener>[1]): void {
  const body = request.url === '/made/large' ? large : page
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(body.length),
    'cache-control': 'private, no-store',
    [POLICY.name]: POLICY.value,
    ...(request.headers[INTERNAL_HEADERS.route]?.includes('"question":') === true && {
      [INTERNAL_HEADERS.verdict]: NEXT,
    }),
  })
  response.end(body)
}

function sendInner(request: Parameters<RequestListener>[0], response: Parameters<RequestListener>[1]): void {
  const [path, search = ''] = (request.url ?? '').split('?')
  if (path === MIDDLEWARE_PATH) {
    request.resume()
    return void response.writeHead(200, { 'content-length': NEXT.length }).end(NEXT)
  }
  if (path !== ENTRY_PATH) return void response.end(JSON.stringify({ ready: true, version: VERSION }))
  const asked = parseEntryQuery(search)
  const id = typeof asked === 'string' ? undefined : asked.params.id
  const html = id === undefined ? page : oneOfMany(Number(id))
  const data = Buffer.from(JSON.stringify({ kind: 'page', route: '/kept', params: {}, props: {} }))
  const tags = { htmlEtag: `"html-${id}"`, dataEtag: `"data-${id}"` }
  const bytes = formatEntry(FACTS, { kind: 'page', status: 200, ...tags, policy: POLICY }, { html, data })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes)
}

function oneOfMany(id: number): Buffer {
  let state = id + 1
  let text = '<!DOCTYPE html>'
  while (text.length < ONE_OF_MANY_BYTES) {
    // xorshift: digits that no encoding can foresee.
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    text += (state >>> 0).toString(16)
  }
  return Buffer.from(text.slice(0, ONE_OF_MANY_BYTES))
}

function serve(port: number, handler: RequestListener): void {
  createServer({ keepAliveTimeout: 75_000 }, handler).listen(port, '127.0.0.1')
}
