import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { freePort } from './free-port.ts'
import { lookupAll, probeReady } from './replica-probe.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function probe(handler: RequestListener, timeoutMs = 5000) {
  server = createServer(handler)
  await new Promise<void>((done) => server!.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  return probeReady('127.0.0.1', (server.address() as AddressInfo).port, timeoutMs)
}

it.each<[number, string, object]>([
  [200, '{"ready":true,"version":"b1.e1"}', { result: 'ready', version: 'b1.e1' }],
  [503, '{"ready":false,"version":"b1.e1"}', { result: 'not-ready', version: 'b1.e1' }],
  [503, '{"ready":false,"waiting":["draining"],"version":"b1.e1"}', { result: 'draining', version: 'b1.e1' }],
  [503, '{"ready":false,"waiting":["warming"]}', { result: 'not-ready' }],
  [503, '{"ready":false,"waiting":["stopping"],"version":"b1.e1"}', { result: 'not-ready', version: 'b1.e1' }],
  [200, '{"ready":true,"instance":"a1"}', { result: 'ready', instance: 'a1' }],
  [200, '{"ready":true,"instance":1}', { result: 'ready' }],
  [503, '{"waiting":"draining"}', { result: 'not-ready' }],
  [200, '{"ready":true}', { result: 'ready' }],
  [200, '{"version":1}', { result: 'ready' }],
  [200, 'ok', { result: 'ready' }],
  [200, 'null', { result: 'ready' }],
  [204, '', { result: 'not-ready' }],
])('O4 W8 %i with %s is %j', async (status, body, wanted) => {
  expect(await probe((_request, response) => void response.writeHead(status).end(body))).toEqual(wanted)
})

it('G2 is failed for a body that never ends, that is endless, or that breaks off', async () => {
  const headOnly: RequestListener = (_request, response) => void response.writeHead(200).write('{')
  expect(await probe(headOnly, 50)).toEqual({ result: 'failed' })
  expect(await probe((_request, response) => void response.end('x'.repeat(100_000)))).toEqual({ result: 'failed' })
  const broken: RequestListener = (request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{')
    setTimeout(() => request.socket.destroy(), 20)
  }
  expect(await probe(broken)).toEqual({ result: 'failed' })
})

it('O4 distinguishes late and refused', async () => {
  expect(await probe(() => {}, 50)).toEqual({ result: 'failed' })
  expect(await probeReady('127.0.0.1', await freePort(), 1000)).toEqual({ result: 'refused' })
})

it('O12 says for which build the caller has no other replica', async () => {
  const builds: unknown[] = []
  const handler: RequestListener = (request, response) => {
    builds.push(request.headers['portico-build'])
    response.end()
  }
  await probe(handler)
  // A TCP server that listens has an AddressInfo.
  await probeReady('127.0.0.1', (server!.address() as AddressInfo).port, 5000, 'b1')
  expect(builds).toEqual([undefined, 'b1'])
})

it('G2 looks up the host of a URL, also an IPv6 address in brackets', async () => {
  expect(await lookupAll('127.0.0.1')).toEqual(['127.0.0.1'])
  expect(await lookupAll(new URL('http://[::1]:9090').hostname)).toEqual(['::1'])
})
