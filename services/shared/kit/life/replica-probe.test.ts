import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { probeReady } from './replica-probe.ts'

it('O4 distinguishes ready, not ready, late and refused', async () => {
  let status: number | undefined = 200
  const server = createServer((_request, response) => {
    if (status !== undefined) response.writeHead(status).end('{}')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  const { port } = server.address() as AddressInfo
  expect(await probeReady('127.0.0.1', port, 500)).toBe('ready')
  status = 503
  expect(await probeReady('127.0.0.1', port, 500)).toBe('not-ready')
  status = undefined
  expect(await probeReady('127.0.0.1', port, 50)).toBe('failed')
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  expect(await probeReady('127.0.0.1', port, 500)).toBe('refused')
})
