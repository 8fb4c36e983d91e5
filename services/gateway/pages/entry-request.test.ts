// Requests for entries: what is read of a response, and what is refused.

import { formatEntryTarget } from '@portico/shared/wire/page-entry.ts'
import { expect, it } from 'vitest'
import { createReplicas } from '../replicas/service-replicas.ts'
import { TOKEN } from '../testing/gateway-fixture.ts'
import { stopAfter } from '../testing/proxy-fixture.ts'
import { createEntryClient } from './entry-request.ts'
import { rendererOf } from './testing/cached-gateway.ts'
import { pageEntry } from './testing/entries.ts'

const TARGET = formatEntryTarget({ as: 'entry', pattern: '/about', params: {}, position: { generation: 0 } })!

async function setUp(limitBytes = 4 * 1024 * 1024) {
  const renderer = await rendererOf()
  const { url } = renderer.upstream
  const replicas = createReplicas({ addresses: [{ url, innerUrl: url }] })
  await replicas.start()
  const client = createEntryClient({ replicas, token: () => TOKEN, timeoutMs: 60_000, limitBytes })
  stopAfter({
    async stop() {
      client.close()
      replicas.close()
    },
  })
  const [replica] = replicas.list()
  return { renderer, request: () => client.request(replica!, TARGET) }
}

it('C7 holds the bytes of an entry and no others, so that their count is true', async () => {
  const { renderer, request } = await setUp()
  const bytes = pageEntry('page')
  renderer.entry = () => bytes
  const result = await request()
  expect(result.kind === 'entry' && result.entry.html.buffer.byteLength).toBe(bytes.length)
})

it('C7 reads no entry above the limit', async () => {
  const { renderer, request } = await setUp(10_000)
  renderer.entry = () => pageEntry('x'.repeat(10_000))
  expect(await request()).toMatchObject({ kind: 'fault', fault: 'too-large' })
  renderer.entry = () => pageEntry('page')
  expect((await request()).kind).toBe('entry')
})

it('C7 reads 32 MiB at a time; further entries pass to the proxy', async () => {
  const { renderer, request } = await setUp()
  const bytes = pageEntry('x'.repeat(2 * 1024 * 1024 - 10_000))
  const released = Promise.withResolvers<void>()
  renderer.entry = (_asked, response) => {
    response.writeHead(200, { 'content-length': bytes.length })
    response.write(bytes.subarray(0, 1000))
    void released.promise.then(() => response.end(bytes.subarray(1000)))
    return undefined
  }
  const reading = Array.from({ length: 9 }, request)
  expect(await Promise.race(reading)).toMatchObject({ kind: 'fault', fault: 'busy' })
  released.resolve()
  expect((await Promise.all(reading)).filter(({ kind }) => kind === 'entry').length).toBe(8)
  expect((await request()).kind).toBe('entry')
})

it('C3 refuses a response without a length, and one that breaks off', async () => {
  const { renderer, request } = await setUp()
  const bytes = pageEntry('page')
  renderer.entry = (_asked, response) => {
    response.writeHead(200).write(bytes)
    response.end()
    return undefined
  }
  expect(await request()).toMatchObject({ kind: 'fault', fault: 'unfit' })
  renderer.entry = (_asked, response) => {
    response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 500), () => response.destroy())
    return undefined
  }
  expect(await request()).toMatchObject({ kind: 'fault', fault: 'broken' })
})
