import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { all, send } from '../../testing/gateway-fixture.ts'
import { gatewayOf, upstreamOf } from '../../testing/proxy-fixture.ts'

const BODY = 'a'.repeat(20_000)
const HALF = BODY.slice(0, BODY.length / 2)

function openClient(port: number) {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
  })
  return { socket, received: () => received, statuses: () => received.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? [] }
}

async function recordingUpstream() {
  const upstream = await upstreamOf('upstream', { respond: (_request, response, body) => void response.end(body) })
  const begun: string[] = []
  upstream.server.on('request', ({ url = '' }) => url !== '/readyz' && begun.push(url))
  return { upstream, begun }
}

const post = (path: string, length: number) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`

describe('a small body', () => {
  it('A7 G2 does not count at a replica before it is complete, and is passed on byte for byte', async () => {
    const { upstream, begun } = await recordingUpstream()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const client = openClient(gateway.port)
    client.socket.write(post('/api/slow', BODY.length) + HALF)
    for (let index = 0; index < 5; index++) expect((await send(gateway.port, '/api/other')).status).toBe(200)
    expect(begun).not.toContain('/api/slow')
    client.socket.write(HALF)
    await expect.poll(() => client.received().endsWith(BODY)).toBe(true)
    expect(begun.filter((url) => url === '/api/slow')).toHaveLength(1)
    client.socket.write(`${post('/api/next', 4)}more`)
    await expect.poll(() => client.received().endsWith('more')).toBe(true)
    client.socket.destroy()
  })

  it('A7 is sent to no replica when its client disconnects', async () => {
    const { upstream, begun } = await recordingUpstream()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const client = openClient(gateway.port)
    client.socket.write(post('/api/slow', BODY.length) + HALF, () => client.socket.destroy())
    await expect.poll(() => gateway.lines.some(({ path }) => path === '/api/slow')).toBe(true)
    expect(gateway.lines.find(({ path }) => path === '/api/slow')).toMatchObject({ status: 499, incomplete: true })
    expect(begun).toEqual([])
  })

  it('E7 has an error response where no replica is known, and its connection is kept', async () => {
    const { upstream } = await recordingUpstream()
    const replicaOptions = { lookup: async () => [] }
    const gateway = await gatewayOf({ upstreams: all(upstream), firstReadyMs: 50, replicaOptions })
    const client = openClient(gateway.port)
    for (const statuses of [['503'], ['503', '503']]) {
      client.socket.write(post('/api/x', BODY.length) + BODY)
      await expect.poll(client.statuses).toEqual(statuses)
    }
    client.socket.destroy()
  })
})

describe('a large body and one without a length', () => {
  it.each([
    ['large', `${post('/api/slow', 1_000_000)}${HALF}`],
    ['chunked', 'POST /api/slow HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
  ])('G4 a %s one is sent on as it arrives', async (_name, text) => {
    const { upstream, begun } = await recordingUpstream()
    const gateway = await gatewayOf({ upstreams: all(upstream) })
    const client = openClient(gateway.port)
    client.socket.write(text)
    await expect.poll(() => begun).toEqual(['/api/slow'])
    client.socket.destroy()
  })
})
