import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { all } from '../testing/gateway-fixture.ts'
import { gatewayOf, upstreamOf } from '../testing/proxy-fixture.ts'

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
