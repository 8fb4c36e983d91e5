import { expect, it } from 'vitest'
import { all, send } from '../testing/gateway-fixture.ts'
import { gatewayOf, upstreamOf } from '../testing/proxy-fixture.ts'

const CHUNKED = { method: 'POST', headers: { 'transfer-encoding': 'chunked' } }

it('A7 sends chunked bodies over connections that are kept', async () => {
  const upstream = await upstreamOf()
  const connections = new Set<unknown>()
  upstream.respond = (request, response) => void response.end(String(connections.add(request.socket).size))
  const gateway = await gatewayOf({ upstreams: all(upstream) })
  for (let index = 0; index < 3; index++)
    expect((await send(gateway.port, '/api/x', { ...CHUNKED, body: 'x'.repeat(5000) })).text).toBe('1')
})

it('A7 passes early responses to chunked bodies on, repeatedly, and counts no failure of the replica', async () => {
  const upstream = await upstreamOf()
  upstream.server.removeAllListeners('request')
  upstream.server.on('request', (request, response) => {
    if (request.url === '/readyz') return void response.end('{}')
    // As the actions service, which responds at its limit and discards the rest.
    let received = 0
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received > 1_000_000 && !response.headersSent) response.writeHead(413).end('too large')
    })
  })
  const gateway = await gatewayOf({ upstreams: all(upstream) })
  const body = Buffer.alloc(2_000_000)
  for (let index = 0; index < 12; index++)
    expect((await send(gateway.port, '/api/x', { ...CHUNKED, body })).status).toBe(413)
})
