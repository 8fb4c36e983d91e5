// Requests whose client is gone while a step waits (L3).

import { expect, it } from 'vitest'
import type { StoredFile } from '../exchange/reply.ts'
import { all } from '../testing/gateway-fixture.ts'
import { openClient } from '../testing/open-client.ts'
import { gatewayOf, upstreamOf } from '../testing/proxy-fixture.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`

/** A gateway whose files of other builds are found when the test says so. */
async function setUp() {
  const upstream = await upstreamOf('upstream')
  const opened: string[] = []
  const waiting = new Map<string, () => void>()
  const oldBuilds = {
    find: (_folder: string, name: string) =>
      new Promise<StoredFile>((resolve) => {
        const entry = { size: 3, type: 'text/plain', etag: '"1"', encodings: {} }
        const open = async () => {
          opened.push(name)
          return { kind: 'memory' as const, bytes: Buffer.from('abc') }
        }
        waiting.set(name, () => resolve({ entry, open }))
      }),
  }
  const gateway = await gatewayOf({ upstreams: all(upstream), oldBuilds, accessLinesPerClient: 100 })
  return { upstream, gateway, opened, waiting }
}

it('L3 opens no file for a client that left while the file was looked up, and its line says 499', async () => {
  const { gateway, opened, waiting } = await setUp()
  const client = openClient(gateway.port, get('/_portico/static/gone-01234567.js'))
  await expect.poll(() => waiting.size).toBe(1)
  client.socket.destroy()
  const line = () => gateway.lines.find(({ event }) => event === 'request')
  await expect.poll(line).toMatchObject({ status: 499, incomplete: true })
  const there = openClient(gateway.port, get('/_portico/static/here-01234567.js'))
  await expect.poll(() => waiting.size).toBe(2)
  for (const find of waiting.values()) find()
  await expect.poll(there.statuses).toEqual(['200'])
  expect(opened).toEqual(['here-01234567.js'])
  there.socket.destroy()
})

it('L3 ends the requests of a client that left behind the one that waits: none is sent upstream or opens a file', async () => {
  const { upstream, gateway, opened, waiting } = await setUp()
  const paths = Array.from({ length: 15 }, (_, at) => `/_portico/static/file-${at}-0123.js`)
  const client = openClient(gateway.port, paths.map(get).join(''))
  await expect.poll(() => waiting.size).toBe(15)
  client.socket.destroy()
  const lines = () => gateway.lines.filter(({ event }) => event === 'request')
  await expect.poll(() => lines().length).toBe(15)
  for (const find of waiting.values()) find()
  await new Promise((done) => setImmediate(done))
  expect(opened).toEqual([])
  expect(upstream.requests).toEqual([])
  expect(new Set(lines().map(({ status }) => status))).toEqual(new Set([499]))
})
