import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { all } from '../testing/gateway-fixture.ts'
import { openClient } from '../testing/open-client.ts'
import { gatewayOf, upstreamOf } from '../testing/proxy-fixture.ts'
import { connectRaw } from '../testing/raw-client.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

it('G4 ends a connection when a response breaks off that waits behind another one', async () => {
  let endFirst = () => {}
  const upstream = await upstreamOf('upstream', {
    respond(request, response) {
      if (request.url === '/first') endFirst = () => response.end('whole')
      else response.writeHead(200, { 'content-length': 1000 }).write('a part', () => response.destroy())
    },
  })
  const gateway = await gatewayOf({ upstreams: all(upstream) })
  const client = connect(gateway.port, '127.0.0.1', () => client.write(get('/first') + get('/second')))
  let isClosed = false
  client.on('error', () => {}).resume()
  client.once('close', () => {
    isClosed = true
  })
  const line = () => gateway.lines.find(({ path }) => path === '/second')
  await expect.poll(line).toMatchObject({ status: 200, incomplete: true })
  endFirst()
  await expect.poll(() => isClosed).toBe(true)
})

it('G8 sends no interim response for a request that waits behind another one, and reads nothing behind it', async () => {
  const seen: string[] = []
  const upstream = await upstreamOf('upstream', {
    respond(request, response) {
      seen.push(request.url ?? '')
      setTimeout(() => response.end(`of ${request.url}`), request.url === '/api/1' ? 30 : 0)
    },
  })
  const gateway = await gatewayOf({ upstreams: all(upstream) })
  const post = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx`
  const client = connectRaw(gateway.port)
  client.write(post('/api/1') + post('/api/2') + get('/api/3'))
  for (const path of ['/api/1', '/api/2']) expect((await client.read('POST'))?.body).toBe(`of ${path}`)
  expect(await client.closed()).toBe('')
  expect(seen).toEqual(['/api/1', '/api/2'])
})

it.each([
  ['wait for a replica', '/slow'],
  ['are refused behind one that waits', '/%'],
])(
  'G8 closes a connection with more pipelined requests than its address may have connections: %s',
  async (_which, path) => {
    let end = () => {}
    const upstream = await upstreamOf('upstream', {
      respond(request, response) {
        if (request.url === '/slow') end = () => response.end('slow')
        else response.end('ok')
      },
    })
    const gateway = await gatewayOf({ upstreams: all(upstream), maxConnectionsPerAddress: 4 })
    const client = openClient(gateway.port, get('/slow') + get(path).repeat(50), '127.0.0.5')
    await expect.poll(client.isClosed).toBe(true)
    expect(client.received()).toBe('')
    expect(upstream.requests.length).toBeLessThanOrEqual(4)
    await expect.poll(() => gateway.registry.metrics()).toContain('reason="requests-per-address"} 1')
    // All connections are released.
    const next = openClient(gateway.port, get('/slow') + get('/ok').repeat(3), '127.0.0.5')
    await expect.poll(() => upstream.requests.filter(({ url }) => url === '/ok').length).toBe(3)
    end()
    await expect.poll(next.statuses).toEqual(['200', '200', '200', '200'])
    for (const { socket } of [client, next]) socket.destroy()
  },
)

it.each([
  ['of an upstream', '/x', '200'],
  ['of the gateway', '/%', '400'],
])('L3 responds to sixteen pipelined requests and closes: responses %s', async (_of, path, status) => {
  const upstream = await upstreamOf('upstream', { respond: (_request, response) => void response.end('ok') })
  const gateway = await gatewayOf({ upstreams: all(upstream) })
  const client = openClient(gateway.port, get('/first') + get(path).repeat(500))
  await expect.poll(client.isClosed).toBe(true)
  expect(client.statuses()).toEqual(['200', ...Array.from({ length: 15 }, () => status)])
  expect(client.received().match(/connection: close/gi)).toHaveLength(1)
  expect(upstream.requests.length).toBe(status === '200' ? 16 : 1)
})

it('G7 writes so many access lines of a client, and the number of the others', async () => {
  const upstream = await upstreamOf('upstream', { respond: (_request, response) => void response.end('ok') })
  const gateway = await gatewayOf({ upstreams: all(upstream), accessLinesPerClient: 3 })
  const client = openClient(gateway.port, get('/x').repeat(10))
  await expect.poll(() => client.statuses().length).toBe(10)
  await expect
    .poll(() => gateway.lines.find(({ event }) => event === 'requests'))
    .toMatchObject({ notLogged: 7, statuses: { 200: 7 } })
  expect(gateway.lines.filter(({ path }) => path === '/x').length).toBe(3)
  client.socket.destroy()
})

it('G8 holds nothing of the body of a GET that waits for its response', async () => {
  let end = () => {}
  const upstream = await upstreamOf('upstream', {
    respond(_request, response) {
      end = () => response.end('slow')
    },
  })
  const gateway = await gatewayOf({ upstreams: all(upstream) })
  const head = 'GET /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n'
  const client = openClient(gateway.port, head)
  await expect.poll(() => upstream.requests.length).toBe(1)
  // More than a connection holds: the last byte is taken only when the gateway reads all.
  await new Promise<void>((done) => client.socket.write(Buffer.alloc(20_000_000, 'x'), () => done()))
  end()
  await expect.poll(client.received).toContain('slow')
  client.socket.destroy()
})
