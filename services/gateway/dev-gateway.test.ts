// The gateway over a manifest that changes: what the gateway serves, and that no change leaves listeners at the server.

import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { FIRST_READY_WAIT_MS } from '@portico/shared/wire/constants.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type OpenedGateway, openGateway } from './open.ts'
import { all, CONTROL, configOf, startUpstream, type Upstream } from './testing/gateway-fixture.ts'

/** Each edit of a route, of the config or of a public file makes another manifest. */
const CHANGES = 200

let upstream: Upstream
let opened: OpenedGateway
let server: Server
let build: AppBuild
let port: number
let lines: Record<string, unknown>[]

function buildWith(changes: Partial<Manifest>): AppBuild {
  const empty = {
    pages: [],
    screens: [],
    apiRoutes: [],
    actions: [],
    redirects: [],
    rewrites: [],
    headers: [],
    rewriteOrigins: {},
  }
  const csp = { site: null, routes: {}, screen: null }
  const manifest = {
    buildId: 'dev-0',
    csp,
    basePath: '',
    semantics: {},
    images: { localPatterns: [] },
    staticFiles: {},
    publicFiles: {},
  }
  return { dir: '/nowhere', manifest: { ...manifest, ...empty, ...changes } as unknown as Manifest }
}

beforeEach(async () => {
  upstream = await startUpstream('renderer')
  lines = []
  // The log writes lines of JSON.
  const log = createLog('gateway', 'debug', { write: (line: string) => void lines.push(JSON.parse(line)) })
  build = buildWith({})
  const config = configOf(all(upstream), { isDevelopment: true })
  opened = await openGateway(config, log, { site: { build, current: () => build }, control: CONTROL })
  await opened.warm?.()
  const published = opened.listeners.find(({ name }) => name === 'public')
  server = createServer(published?.handler)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await opened.close()
  await upstream.stop()
})

const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' })

test('V1 follows the current manifest', async () => {
  expect(await (await get('/old')).text()).toBe('from renderer')
  build = buildWith({ redirects: [{ source: '/old', destination: '/new', status: 307 }] })
  const response = await get('/old')
  expect([response.status, response.headers.get('location')]).toEqual([307, '/new'])
})

test('G7 V1 logs requests of the development server at level debug, and those of the site at level info', async () => {
  for (const path of ['/_portico/dev/pages/index.tsx', '/_portico/devices', '/about']) await (await get(path)).text()
  const levels = () => lines.filter(({ event }) => event === 'request').map(({ path, level }) => [path, level])
  await expect.poll(levels).toEqual([
    ['/_portico/dev/pages/index.tsx', 'debug'],
    ['/_portico/devices', 'info'],
    ['/about', 'info'],
  ])
})

test('V1 a request waits for a service that is started again, longer than in production', async () => {
  const { port: upstreamPort } = upstream
  await upstream.stop()
  const waiting = get('/about')
  await sleep(FIRST_READY_WAIT_MS + 300)
  upstream = await startUpstream('renderer', { port: upstreamPort })
  expect(await (await waiting).text()).toBe('from renderer')
})

test('V1 a request whose connection broke waits for the service that is started again', async () => {
  const { port: upstreamPort } = upstream
  await upstream.stop()
  let broken = 0
  const stopping = createTcpServer((socket) => {
    broken++
    socket.destroy()
  })
  await new Promise<void>((done) => stopping.listen(upstreamPort, '127.0.0.1', done))
  const waiting = get('/about')
  await expect.poll(() => broken).toBeGreaterThan(0)
  await new Promise((done) => stopping.close(done))
  upstream = await startUpstream('renderer', { port: upstreamPort })
  expect(await (await waiting).text()).toBe('from renderer')
})

test('V1 adds no listener to the server for a new manifest', async () => {
  await (await get('/')).text()
  const before = server.eventNames().map((name) => [name, server.listenerCount(name)])
  for (let count = 1; count <= CHANGES; count++) {
    build = buildWith({ buildId: `dev-${count}` })
    expect(await (await get('/')).text()).toBe('from renderer')
  }
  expect(server.eventNames().map((name) => [name, server.listenerCount(name)])).toEqual(before)
})
