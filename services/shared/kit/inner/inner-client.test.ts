// The client of inner ports over real connections: what is read, what is sent twice, and what each fault is called.

import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createInnerClient, type InnerClientOptions, type InnerRequest } from './inner-client.ts'
import { sendWithOneMore } from './one-more.ts'

const TOKEN = 'token-of-the-stack'

async function listen(handler: RequestListener) {
  const server = createServer(handler)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close().closeAllConnections())
  // A TCP server that listens has an AddressInfo.
  return { address: '127.0.0.1', innerPort: (server.address() as AddressInfo).port }
}

function clientOf(options: Partial<InnerClientOptions> = {}) {
  const client = createInnerClient({ token: () => TOKEN, timeoutMs: 30_000, limitBytes: 1000, ...options })
  onTestFinished(client.close)
  return client
}

const GET: InnerRequest = { path: '/x', isRepeatable: true }
const POST: InnerRequest = { path: '/x', json: '{}', isRepeatable: false }

test('O4 a request has the token, and its response is read whole', async () => {
  const place = await listen((request, response) => {
    response.end(`${request.method} ${request.url} ${request.headers.authorization}`)
  })
  const result = await clientOf().send(place, GET)
  expect(result).toMatchObject({ kind: 'bytes', status: 200, bytes: Buffer.from(`GET /x Bearer ${TOKEN}`) })
})

test('O4 without a token nothing is sent', async () => {
  let requests = 0
  const place = await listen((_request, response) => void response.end(String(requests++)))
  const result = await clientOf({ token: () => undefined }).send(place, GET)
  expect([result, requests]).toMatchObject([{ fault: 'unfit', isUnsent: true }, 0])
})

test('E7 what node:http refuses to send is a fault', async () => {
  const place = await listen((_request, response) => void response.end())
  expect(await clientOf({ token: () => 'a\nb' }).send(place, GET)).toMatchObject({ fault: 'unfit', isUnsent: true })
})

test('E7 a connection that the system refuses at once has sent nothing', async () => {
  // A broadcast address: connect() itself fails.
  const result = await clientOf().send({ address: '255.255.255.255', innerPort: 9 }, POST)
  expect(result).toMatchObject({ kind: 'fault', isUnsent: true })
})

test('E7 a kept connection that ended is a new request, and one that may not run twice has its own connection', async () => {
  const ports: (number | undefined)[] = []
  const place = await listen((request, response) => {
    ports.push(request.socket.remotePort)
    if (ports.length === 2) return void request.socket.destroy()
    request.resume().on('end', () => response.end('ok'))
  })
  const client = clientOf()
  for (let count = 0; count < 2; count++) expect(await client.send(place, GET)).toMatchObject({ kind: 'bytes' })
  expect(ports.length).toBe(3)
  for (let count = 0; count < 2; count++) expect(await client.send(place, POST)).toMatchObject({ kind: 'bytes' })
  expect(new Set(ports.slice(2)).size).toBe(3)
})

test('E7 a request that may not run twice and whose connection broke off is not sent again', async () => {
  let requests = 0
  const place = await listen((request) => {
    requests++
    request.socket.destroy()
  })
  expect(await clientOf().send(place, POST)).toMatchObject({ fault: 'broken', isUnsent: false })
  expect(requests).toBe(1)
})

test.each<[string, string, RequestListener, Partial<InnerClientOptions>]>([
  ['another status', 'unfit', (_request, response) => void response.writeHead(503).end(), {}],
  ['more than the limit', 'too-large', (_request, response) => void response.end('x'.repeat(1001)), {}],
  [
    'more than the limit, without a length',
    'too-large',
    (_request, response) => {
      response.write('x'.repeat(600))
      response.end('x'.repeat(600))
    },
    {},
  ],
  [
    'no length, where memory is reserved',
    'unfit',
    (_request, response) => {
      response.write('x')
      response.end()
    },
    { readingLimitBytes: 1000 },
  ],
  [
    'more than what is free',
    'busy',
    (_request, response) => void response.end('x'.repeat(11)),
    { readingLimitBytes: 10 },
  ],
  [
    'half of it',
    'broken',
    (request, response) => {
      response.writeHead(200, { 'content-length': 99 }).write('x', () => request.socket.destroy())
    },
    {},
  ],
  ['nothing in time', 'late', () => {}, { timeoutMs: 50 }],
])('E7 %s is %s', async (_what, fault, handler, options) => {
  const place = await listen(handler)
  expect(await clientOf(options).send(place, { ...GET, isRepeatable: false })).toMatchObject({ kind: 'fault', fault })
})

test('E7 the end of the caller’s time is late, and the end of the caller is not', async () => {
  const place = await listen(() => {})
  const client = clientOf()
  expect(await client.send(place, { ...GET, signal: AbortSignal.timeout(20) })).toMatchObject({ fault: 'late' })
  expect(await client.send(place, { ...GET, signal: AbortSignal.abort() })).toMatchObject({ fault: 'aborted' })
})

test('E7 as many places as refuse, and one more after another fault', async () => {
  const asked: string[] = []
  const places = ['refused', 'refused', 'broken', 'good'] as const
  const answers = {
    refused: { kind: 'fault', fault: 'refused', isUnsent: true, error: new Error('x') },
    broken: { kind: 'fault', fault: 'broken', isUnsent: false, error: new Error('x') },
    // While the connection was made.
    cut: { kind: 'fault', fault: 'broken', isUnsent: true, error: new Error('x') },
    good: { kind: 'bytes' },
  } as const
  const ask = (order: readonly (keyof typeof answers)[], isRepeatable: boolean) => {
    asked.length = 0
    return sendWithOneMore({
      first: 0,
      next: (at) => (at + 1 < order.length ? at + 1 : undefined),
      async send(at) {
        asked.push(order[at]!)
        return answers[order[at]!]
      },
      isRepeatable,
    })
  }
  expect((await ask(places, true)).result.kind).toBe('bytes')
  expect(asked).toEqual(places)
  expect((await ask(places, false)).result.kind).toBe('fault')
  expect(asked).toEqual(['refused', 'refused', 'broken'])
  expect((await ask(['broken', 'refused', 'broken', 'good'], true)).result.kind).toBe('fault')
  expect((await ask(['refused'], true)).result.kind).toBe('fault')
  expect((await ask(['cut', 'cut', 'good'], true)).result.kind).toBe('fault')
})
