// A CDN in front of a stack: keeps responses by the rules of RFC 9213, serves them until they are out of date, and purges
// them by cache tag.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type RawResponse, send } from '../../harness/http.ts'

export interface CachingCdn {
  url: string
  purgeUrl: string
  /** The bodies of all accepted purges. */
  purges: { everything: boolean; tags: string[] }[]
  /** Where requests that nothing kept fits are passed on. */
  origin: string
  close(): Promise<void>
}

interface Kept {
  response: RawResponse
  tags: Set<string>
  /** Milliseconds of performance.now(). */
  freshUntil: number
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding'])

export async function startCachingCdn(authorization: string): Promise<CachingCdn> {
  const kept = new Map<string, Kept>()

  const forward = async (request: IncomingMessage, response: ServerResponse, key: string): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = 'GET', url = '/' } = request
    // A request without a body has no headers that are lists.
    const headers = request.headers as Record<string, string>
    const from = await send(cdn.origin, url, { method, headers, body: Buffer.concat(chunks) })
    const seconds = method === 'GET' && from.status === 200 ? storedFor(from) : 0
    const age = Number(from.headers.age ?? 0)
    if (seconds > age) {
      const tags = new Set(String(from.headers['cache-tag'] ?? '').split(','))
      kept.set(key, { response: from, tags, freshUntil: performance.now() + (seconds - age) * 1000 })
    }
    respond(response, from, 'MISS')
  }

  const purge = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.headers.authorization !== authorization) return void response.writeHead(401).end()
    const message = JSON.parse(String(Buffer.concat(chunks))) as CachingCdn['purges'][0]
    cdn.purges.push(message)
    for (const [key, { tags }] of kept)
      if (message.everything || message.tags.some((tag) => tags.has(tag))) kept.delete(key)
    response.end()
  }

  const server = createServer((request, response) => {
    const { method, url = '/', headers } = request
    const key = `${url} ${headers['accept-encoding'] ?? ''}`
    const found = method === 'GET' ? kept.get(key) : undefined
    if (method === 'POST' && url === '/cdn-purge') void purge(request, response)
    else if (found && found.freshUntil > performance.now()) respond(response, found.response, 'HIT')
    else forward(request, response, key).catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const cdn: CachingCdn = {
    url,
    purgeUrl: `${url}/cdn-purge`,
    purges: [],
    origin: '',
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return cdn
}

/** Seconds; 0 for a response that is not kept. */
function storedFor({ headers }: RawResponse): number {
  const control = String(headers['cdn-cache-control'] ?? headers['cache-control'] ?? '')
  if (headers['set-cookie'] || /\b(no-store|private)\b/.test(control)) return 0
  return Number(/\bs-maxage=(\d+)/.exec(control)?.[1] ?? /\bmax-age=(\d+)/.exec(control)?.[1] ?? 0)
}

/** As CDNs do: without the headers that are for the CDN alone. */
function respond(response: ServerResponse, from: RawResponse, verdict: 'HIT' | 'MISS'): void {
  for (const [name, value] of Object.entries(from.headers))
    if (value !== undefined && !HOP_BY_HOP.has(name) && name !== 'cache-tag') response.setHeader(name, value)
  response.setHeader('x-cdn', verdict)
  response.writeHead(from.status).end(from.body)
}
