import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { all } from '../testing/gateway-fixture.ts'
import { gatewayOf, upstreamOf } from '../testing/proxy-fixture.ts'
import { connectRaw } from '../testing/raw-client.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

it('G4 ends a connection when an answer breaks off that waits behind another one', async () => {
  let endFirst = () => {}
  const upstream = await upstreamOf('upstream', {
    answer(request, response) {
      if (request.url === '/first') endFirst = () => response.end('whole')
      else response.writeHead(200, { 'content-length': 1000 }).write('a part', () => response.destroy())
    },
  })
  const gateway = await gatewayOf({ upstreams: all(upstream) })
  const visitor = connect(gateway.port, '127.0.0.1', () => visitor.write(get('/first') + get('/second')))
  let isClosed = false
  visitor.on('error', () => {}).resume()
  visitor.once('close', () => {
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
    answer(request, response) {
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
