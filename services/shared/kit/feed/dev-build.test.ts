// How the services follow a folder under development, against a process that responds like the renderer.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MANIFEST_FORMAT } from '../../wire/build-output.ts'
import { PORTICO_VERSION } from '../../wire/constants.ts'
import type { DevFeedRequest } from '../../wire/dev/dev-inner.ts'
import { type DevFollower, followDevBuild } from './dev-build.ts'

const TOKEN = 'a-token-of-thirty-two-characters!'

let server: Server
let requests: DevFeedRequest[]
/** Ends the response that waits. */
let say: ((buildId: string) => void) | undefined
let follower: DevFollower | undefined

beforeEach(async () => {
  requests = []
  say = undefined
  server = createServer(async (request, response) => {
    const seen = JSON.parse(await text(request)) as DevFeedRequest
    requests.push(seen)
    say = (buildId) => {
      const manifest = { format: MANIFEST_FORMAT, version: PORTICO_VERSION, buildId }
      const body = JSON.stringify({ revision: seen.revision + 1, version: 7, files: ['/a'], manifest, entry: 'e' })
      response.setHeader('content-length', Buffer.byteLength(body)).end(body)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  follower?.close()
  server.closeAllConnections()
  server.close()
})

async function follow(onUpdate?: Parameters<typeof followDevBuild>[1]) {
  const devFeedUrl = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const folder = { appDir: '/app', devFeedUrl, stackToken: TOKEN }
  const following = followDevBuild({ ...folder, name: 'images', log: { warn: vi.fn() } }, onUpdate)
  await saySoon('dev-1')
  follower = await following
  return follower
}

async function saySoon(buildId: string): Promise<void> {
  await expect.poll(() => say).toBeDefined()
  say?.(buildId)
  say = undefined
}

test('V1 waits for the first state, follows the later ones, and names the one that it has', async () => {
  const versions: number[] = []
  const { current } = await follow(({ version }) => versions.push(version))
  expect([current().manifest.buildId, current().dir]).toEqual(['dev-1', '/app'])
  await saySoon('dev-2')
  await expect.poll(() => current().manifest.buildId).toBe('dev-2')
  await expect.poll(() => requests.length).toBe(3)
  expect(requests).toEqual([
    { name: 'images', revision: -1, version: -1 },
    { name: 'images', revision: 0, version: 7 },
    { name: 'images', revision: 1, version: 7 },
  ])
  expect(versions).toEqual([7, 7])
})

test('V1 keeps the same build for a state whose manifest is the same', async () => {
  const onUpdate = vi.fn()
  const { current } = await follow(onUpdate)
  const build = current()
  await saySoon('dev-1')
  await expect.poll(() => onUpdate.mock.calls.length).toBe(2)
  expect(current()).toBe(build)
})

test('V1 keeps the last state while the renderer is away, and follows the one that starts again', async () => {
  const { current } = await follow()
  const { port } = server.address() as AddressInfo
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  say = undefined
  expect(current().manifest.buildId).toBe('dev-1')
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await saySoon('dev-2')
  await expect.poll(() => current().manifest.buildId).toBe('dev-2')
})

test.each([
  [{ devFeedUrl: undefined }, 'PORTICO_STACK: innerUrls.renderer must be the inner port of the renderer'],
  [{ stackToken: undefined }, 'STACK_TOKEN must be set under development'],
])('V1 names what a stack has not given: %j', async (missing, message) => {
  const folder = { appDir: '/app', devFeedUrl: new URL('http://127.0.0.1:1'), stackToken: TOKEN, ...missing }
  await expect(followDevBuild({ ...folder, name: 'images', log: { warn: vi.fn() } })).rejects.toThrow(message)
})
