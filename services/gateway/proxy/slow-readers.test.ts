import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { all, send, type TestGateway } from '../testing/gateway-fixture.ts'
import { gatewayOf, upstreamOf } from '../testing/proxy-fixture.ts'

/** More than the kernel buffers for two connections; random, so that compression does not make it smaller. */
const LARGE = randomBytes(16 * 1024 * 1024)

/** Sends a request, and reads nothing. */
function openReader(port: number, text: string) {
  const socket = connect(port, '127.0.0.1', () => socket.write(text))
  socket.on('error', () => {})
  return socket.pause()
}

const get = (headers = '') => `GET /x HTTP/1.1\r\nHost: a\r\n${headers}\r\n`

async function inFlight(gateway: TestGateway): Promise<number> {
  const { text } = await send(gateway.innerPort, '/metrics')
  return Number(/^portico_gateway_in_flight\{upstream="renderer"\} (\d+)$/m.exec(text)?.[1])
}

describe('a client that reads nothing', () => {
  it.each([
    ['as it is', ''],
    ['compressed on the way', 'Accept-Encoding: gzip\r\n'],
  ])(
    'G4 is disconnected after a while when the response is sent %s, and its replica is released',
    async (_how, headers) => {
      const upstream = await upstreamOf('large', {
        respond: (_request, response) => void response.setHeader('content-type', 'text/html').end(LARGE),
      })
      const gateway = await gatewayOf({ upstreams: all(upstream), stalledMs: 200 })
      const reader = openReader(gateway.port, get(headers))
      await expect.poll(() => inFlight(gateway), { timeout: 8000 }).toBe(1)
      const line = () => gateway.lines.find(({ path }) => path === '/x')
      await expect.poll(line, { timeout: 8000 }).toMatchObject({ status: 200, incomplete: true })
      expect(await inFlight(gateway)).toBe(0)
      reader.destroy()
    },
  )

  it('G2 does not count at a replica that has sent its whole response', async () => {
    const body = LARGE.subarray(0, 250_000)
    const upstream = await upstreamOf('upstream', {
      respond: (_request, response) => void response.setHeader('content-type', 'text/html').end(body),
    })
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    // Many requests on one connection: their responses wait at the gateway until the first ones are read.
    const reader = openReader(gateway.port, get('Accept-Encoding: gzip\r\n').repeat(60))
    const unread = () => upstream.requests.length - gateway.lines.filter(({ path }) => path === '/x').length
    await expect.poll(unread).toBeGreaterThan(0)
    await expect.poll(() => inFlight(gateway), { timeout: 8000 }).toBe(0)
    expect(unread()).toBeGreaterThan(0)
    reader.destroy()
  })

  it('G4 G8 is closed after a while when what waits for it is the last piece of responses', async () => {
    const body = LARGE.subarray(0, 250_000)
    const upstream = await upstreamOf('upstream', {
      respond(request, response) {
        if (request.url === '/late') setTimeout(() => response.end('late'), 700)
        else response.setHeader('content-type', 'text/html').end(body)
      },
    })
    const gateway = await gatewayOf({ upstreams: all(upstream), stalledMs: 200 })
    // Not a client that reads and waits for longer.
    expect((await send(gateway.port, '/late')).text).toBe('late')
    // The system takes over some megabytes: some responses after the others, until no more fit.
    const lines = () => gateway.lines.filter(({ path }) => path === '/x')
    const isClosed = async () => (await gateway.registry.metrics()).includes('reason="response-unread"} 1')
    const reader = openReader(gateway.port, '')
    for (let sent = 6; sent < 600 && !(await isClosed()); sent += 6) {
      reader.write(get('Accept-Encoding: gzip\r\n').repeat(6))
      await expect.poll(async () => lines().length >= sent || (await isClosed())).toBe(true)
    }
    expect(await isClosed()).toBe(true)
    await expect.poll(() => lines().some(({ incomplete }) => incomplete)).toBe(true)
    reader.destroy()
  })

  it('G8 keeps a connection without requests until the keep-alive time is over', async () => {
    const upstream = await upstreamOf('upstream', { respond: (_request, response) => void response.end('ok') })
    const gateway = await gatewayOf({ upstreams: all(upstream), stalledMs: 100 })
    const client = connect(gateway.port, '127.0.0.1', () => client.write(get()))
    let received = ''
    client.on('error', () => {}).on('data', (chunk) => (received += chunk))
    await expect.poll(() => received).toContain('ok')
    await new Promise((done) => setTimeout(done, 400))
    client.write(get())
    await expect.poll(() => received.split('HTTP/1.1 200').length).toBe(3)
    client.destroy()
  })
})
