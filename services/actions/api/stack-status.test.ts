// The figures of the stack as the actions service reads them, from a server in the gateway's place.

import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { currentContext } from '../testing/start-actions.ts'
import { startApi } from '../testing/start-api.ts'
import { READ_INTERVAL_MS } from '../testing.ts'
import { createStackStatus } from './stack-status.ts'

const STATUS = { gateway: '0123abcd', since: 1, at: 2, buildId: 'build0', services: [] }

let gateway: Server
let gatewayInnerUrl: URL
let paths: string[]
let respond: (response: ServerResponse) => void

beforeEach(async () => {
  paths = []
  respond = (response) => response.end(JSON.stringify({ status: STATUS, host: 'machine-7', replicas: ['10.0.0.7'] }))
  gateway = createServer((request, response) => {
    paths.push(request.url ?? '')
    respond(response)
  })
  await new Promise<void>((done) => gateway.listen(0, '127.0.0.1', done))
  // A TCP server that listens has an AddressInfo.
  gatewayInnerUrl = new URL(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}`)
})
afterEach(() => {
  gateway.close()
  gateway.closeAllConnections()
})

it('O9 passes on the public part of the document only, without names of machines and addresses', async () => {
  expect(await createStackStatus(gatewayInnerUrl, () => 0)()).toEqual(STATUS)
  expect(paths).toEqual(['/status'])
})

it('O4 reads the gateway once a second at most, for any number of requests', async () => {
  let now = 0
  const status = createStackStatus(gatewayInnerUrl, () => now)
  await Promise.all(Array.from({ length: 20 }, status))
  now = READ_INTERVAL_MS - 1
  await status()
  expect(paths).toHaveLength(1)
  now = READ_INTERVAL_MS
  await status()
  expect(paths).toHaveLength(2)
})

it.each([
  ['fails', (response: ServerResponse) => void response.writeHead(503).end('{}')],
  ['responds with something else', (response: ServerResponse) => void response.end('[1]')],
  ['breaks the connection', (response: ServerResponse) => void response.destroy()],
])('O4 rejects when the gateway %s, and reads again after the interval', async (_title, failing) => {
  const healthy = respond
  respond = failing
  let now = 0
  const status = createStackStatus(gatewayInnerUrl, () => now)
  await expect(status()).rejects.toThrow('the gateway did not report the figures of the stack')
  respond = healthy
  now = READ_INTERVAL_MS
  expect(await status()).toEqual(STATUS)
})

it('O4 is available to an API handler, and is undefined when switched off', async () => {
  const service = await startApi(async (_request, response) => {
    response.json({ status: (await currentContext().stackStatus?.()) ?? null })
  })
  expect(await (await fetch(`${service.url}/api/x`)).json()).toEqual({ status: null })
  await service.stop()
})
