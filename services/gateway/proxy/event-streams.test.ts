import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { get, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { all } from '../testing/gateway-fixture.ts'
import { guardedGateway, guardOf } from '../testing/guarded-gateway.ts'
import { gatewayOf, upstreamOf } from '../testing/proxy-fixture.ts'

/** Sends a request on a connection that is kept, and resolves once the first piece has arrived. */
function openStream(port: number): Promise<{ response: IncomingMessage; text: () => string }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/api/events' }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk
        resolve({ response, text: () => text })
      })
    }).on('error', reject)
  })
}

it('O5 a gateway that stops ends event streams as complete, although their source keeps sending', async () => {
  let isLeft = false
  const upstream = await upstreamOf('events', {
    respond(_request, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      const timer = setInterval(() => response.write('data: 1\n\n'), 5)
      response.on('close', () => {
        clearInterval(timer)
        isLeft = true
      })
    },
  })
  const gateway = await gatewayOf({ upstreams: all(upstream), drain: { delayMs: 0, deadlineMs: 10_000 } })
  const { response, text } = await openStream(gateway.port)
  expect(await gateway.service.stop()).toEqual({ finished: true })
  await expect.poll(() => response.complete).toBe(true)
  expect(text()).toMatch(/^(data: 1\n\n)+$/)
  await expect.poll(() => isLeft).toBe(true)
})

it('G8 a response has one listener for all that wait for its end, however many do', async () => {
  const guard = await guardOf()
  guard.respond = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
  }
  const gateway = await guardedGateway(guard, {
    matchers: [{ source: '/:path*' }],
    trustedProxies: ['127.0.0.1'],
    manifest: { apiRoutes: [{ pattern: '/api/events', file: '' }] },
  })
  const responses: ServerResponse[] = []
  const note = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (request.socket.localPort === gateway.port) responses.push(response)
  }
  subscribe('http.server.request.start', note)
  const { response } = await openStream(gateway.port)
  unsubscribe('http.server.request.start', note)
  // That of node:http, ours, and those of the proxy library.
  expect(responses.map((each) => each.listenerCount('close'))).toEqual([expect.toSatisfy((count) => count <= 5)])
  response.destroy()
})
