import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { all, send } from '../testing/gateway-fixture.ts'
import { gatewayOf, upstreamOf } from '../testing/proxy-fixture.ts'

const BODY = 'a'.repeat(20_000)
const HALF = BODY.slice(0, BODY.length / 2)

function openVisitor(port: number) {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  return { socket, received: () => received, statuses: () => received.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? [] }
}

async function recordingUpstream() {
  const upstream = await upstreamOf('upstream', { answer: (_request, response, body) => void response.end(body) })
  const begun: string[] = []
  upstream.server.on('request', ({ url = '' }) => url !== '/readyz' && begun.push(url))
  return { upstream, begun }
}

const post = (path: string, length: number) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`

describe('a small body', () => {
  it('A7 G2 takes no place at a replica before it is whole, and goes on byte by byte', async () => {
    const { upstream, begun } = await recordingUpstream()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const visitor = openVisitor(gateway.port)
    visitor.socket.write(post('/api/slow', BODY.length) + HALF)
    for (let index = 0; index < 5; index++) expect((await send(gateway.port, '/api/other')).status).toBe(200)
    expect(begun).not.toContain('/api/slow')
    visitor.socket.write(HALF)
    await expect.poll(() => visitor.received().endsWith(BODY)).toBe(true)
    expect(begun.filter((url) => url === '/api/slow')).toHaveLength(1)
    visitor.socket.write(`${post('/api/next', 4)}more`)
    await expect.poll(() => visitor.received().endsWith('more')).toBe(true)
    visitor.socket.destroy()
  })

  it('A7 is told to nobody when its visitor leaves', async () => {
    const { upstream, begun } = await recordingUpstream()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const visitor = openVisitor(gateway.port)
    visitor.socket.write(post('/api/slow', BODY.length) + HALF, () => visitor.socket.destroy())
    await expect.poll(() => gateway.lines.some(({ path }) => path === '/api/slow')).toBe(true)
    expect(gateway.lines.find(({ path }) => path === '/api/slow')).toMatchObject({ status: 499, incomplete: true })
    expect(begun).toEqual([])
  })

  it('E7 is answered for a service that is away, and the connection goes on', async () => {
    const { upstream } = await recordingUpstream()
    const replicaOptions = { lookup: async () => [] }
    const gateway = await gatewayOf({ upstreams: all(upstream), firstReadyMs: 50, replicaOptions })
    const visitor = openVisitor(gateway.port)
    for (const statuses of [['503'], ['503', '503']]) {
      visitor.socket.write(post('/api/x', BODY.length) + BODY)
      await expect.poll(visitor.statuses).toEqual(statuses)
    }
    visitor.socket.destroy()
  })
})

describe('a large body and one without a length', () => {
  it.each([
    ['large', `${post('/api/slow', 1_000_000)}${HALF}`],
    ['chunked', 'POST /api/slow HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
  ])('G4 a %s one goes on as it comes', async (_name, text) => {
    const { upstream, begun } = await recordingUpstream()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const visitor = openVisitor(gateway.port)
    visitor.socket.write(text)
    await expect.poll(() => begun).toEqual(['/api/slow'])
    visitor.socket.destroy()
  })
})
