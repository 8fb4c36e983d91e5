// A request for each code of the error catalogue that the gateway sends, and the code of an upstream in the access line.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { ERROR_CATALOGUE, type ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { describe, expect, test, vi } from 'vitest'
import { all, type GatewayOptions, send, type TestGateway } from './testing/gateway-fixture.ts'
import { openClient, postOf } from './testing/open-client.ts'
import { gatewayOf, upstreamOf } from './testing/proxy-fixture.ts'

const FILES = { 'client/static/app-1a2b.js': 'text', 'public/tiny.txt': '0123456789' }

async function startGateway(options: Partial<GatewayOptions> = {}): Promise<TestGateway> {
  const upstream = await upstreamOf()
  upstream.respond = (request, response) => {
    if (request.url !== '/slow') response.end('body')
  }
  return gatewayOf({ upstreams: all(upstream), files: FILES, ...options })
}

type Sent = Parameters<typeof send>[2]
type Case = [code: ErrorCode, how: string, path: string, sent?: Sent, options?: Partial<GatewayOptions>]
const post = (body: string): Sent => ({ method: 'POST', body })
const nowhere = new URL('http://127.0.0.1:9')
const UNDECIDED: Partial<GatewayOptions> = {
  manifest: { middleware: { matchers: [{ source: '/me' }] } },
  verdicts: { request: async () => ({ kind: 'fault', fault: 'late' }) },
}
const NO_TURNS = { peek: () => 0, take: async () => 1000 }
const CASES: Case[] = [
  ['bad-request', 'a header that Connection must not name', '/', { headers: { connection: 'host' } }],
  ['malformed-path', 'a page', '/%80'],
  ['malformed-path', 'page data', '/_portico/data/build1/%80.json'],
  ['non-canonical-path', 'a POST', '/a//b', post('a=b')],
  ['not-found', 'a hashed file', '/_portico/static/none.js'],
  ['method-not-allowed', 'a page', '/', { method: 'PUT' }],
  ['method-not-allowed', 'TRACE', '/', { method: 'TRACE' }],
  ['body-too-large', 'a body above the ceiling', '/api/x', post('0123456789'), { bodyCeilingBytes: 5 }],
  ['range-not-satisfiable', 'a range behind the end', '/tiny.txt', { headers: { range: 'bytes=10-' } }],
  ['too-many-requests', 'a POST above the limit of its client', '/api/x', post('a=b'), { postLimit: NO_TURNS }],
  ['overloaded', 'no ready replica', '/api/x', {}, { replicaOptions: { lookup: async () => [] }, firstReadyMs: 50 }],
  ['upstream-refused', 'a service that is down', '/api/x', {}, { upstreams: { actions: nowhere }, firstReadyMs: 50 }],
  ['middleware-failed', 'a page', '/me', {}, UNDECIDED],
  [
    'upstream-late',
    'a page',
    '/slow',
    {},
    { limits: { pageMs: 60, imageMs: 60, actionMs: 60, externalMs: 60, sourceMs: 60 } },
  ],
]

const requestLine = (gateway: TestGateway) => gateway.lines.find(({ event }) => event === 'request')

test.each(CASES)('E2 E7 sends %s for %s', async (code, _how, path, sent, options) => {
  const gateway = await startGateway(options)
  const { status, headers, text } = await send(gateway.port, path, sent)
  expect([status, headers[INTERNAL_HEADERS.code]]).toEqual([ERROR_CATALOGUE[code].status, undefined])
  await expect.poll(() => requestLine(gateway)).toMatchObject({ status, code })
  if (text.startsWith('{')) expect(JSON.parse(text)).toMatchObject({ error: { status, code } })
  else expect(text).not.toContain(code)
})

test('E4 sends internal, with one digest for client and log, when the gateway itself fails', async () => {
  const gateway = await startGateway()
  rmSync(join(gateway.build.dir, 'public/tiny.txt'))
  expect((await send(gateway.port, '/tiny.txt')).status).toBe(500)
  await expect.poll(() => requestLine(gateway)).toMatchObject({ code: 'internal' })
  const { digest } = gateway.lines.find(({ msg }) => msg === 'request failed')!
  expect(requestLine(gateway)).toMatchObject({ digest })
})

test('A7 G8 sends body-late for a body that stops', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  try {
    const gateway = await startGateway()
    const client = openClient(gateway.port, postOf('/api/x', 10, 'half'))
    await new Promise((done) => setTimeout(done, 50))
    for (let second = 0; second < 12; second++) {
      vi.advanceTimersByTime(1000)
      await new Promise((done) => setTimeout(done, 10))
    }
    await expect.poll(() => requestLine(gateway)).toMatchObject({ status: 408, code: 'body-late' })
    await expect.poll(client.received).toContain('"code":"body-late"')
    client.socket.destroy()
  } finally {
    vi.useRealTimers()
  }
})

describe('the access line of a service behind the gateway', () => {
  test('G7 has the code that the service reports, and the client does not see the header', async () => {
    const upstream = await upstreamOf()
    upstream.respond = (_request, response) =>
      response.writeHead(404, { [INTERNAL_HEADERS.code]: 'unknown-action', 'content-type': 'text/plain' }).end('404')
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const { headers } = await send(gateway.port, '/api/x')
    expect(headers[INTERNAL_HEADERS.code]).toBeUndefined()
    await expect.poll(() => requestLine(gateway)).toMatchObject({ status: 404, code: 'unknown-action', by: 'actions' })
  })

  test('G7 has no code for a response that is no error', async () => {
    const gateway = await startGateway()
    await send(gateway.port, '/')
    await expect.poll(() => requestLine(gateway)).toMatchObject({ status: 200 })
    expect(requestLine(gateway)).not.toHaveProperty('code')
  })
})
