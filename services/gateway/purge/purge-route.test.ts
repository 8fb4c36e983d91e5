// Purges through an inner port, into a store in a file and into Redis as the gateway's own user.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInvalidationRoute } from '@portico/shared/kit/feed/invalidation-route.ts'
import { createSqliteGenerations } from '@portico/shared/kit/feed/sqlite-generations.ts'
import { subscribeToInvalidations } from '@portico/shared/kit/feed/subscribe.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { createFixedKeyring } from '@portico/shared/kit/secrets/keyring.ts'
import { hasRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import type { InvalidationMessage } from '@portico/shared/wire/invalidation.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { createPurgeRoute, openChanges } from './purge.ts'

type ChangesOptions = Parameters<typeof openChanges>[0]

const TOKEN = 'a-token-of-at-least-32-characters'
const log = createLog('test', 'silent')
const NOWHERE = new URL('http://127.0.0.1:1')
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const closed = <T extends { close: () => unknown }>(part: T): T => {
  ends.push(() => part.close())
  return part
}

function makeDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'portico-purge-'))
  ends.push(() => rmSync(dataDir, { recursive: true }))
  return dataDir
}

/** A gateway's inner port that also receives what it publishes. */
async function startInner(options: Partial<ChangesOptions> = {}) {
  const applied: InvalidationMessage[] = []
  const own: URL[] = []
  const innerUrls = options.innerUrls ?? { gateway: own }
  const changes = closed(
    openChanges({ stateRedisUrl: undefined, dataDir: '/nowhere', token: () => TOKEN, log, ...options, innerUrls }),
  )
  const routes = [
    createPurgeRoute(changes, log),
    createInvalidationRoute({ apply: (message) => void applied.push(message) }),
  ]
  const service: Service = await startService({
    log,
    listeners: [],
    inner: { host: '127.0.0.1', port: 0, token: createFixedKeyring([TOKEN]), routes },
    drain: { delayMs: 0, deadlineMs: 100 },
  })
  ends.push(() => service.stop())
  const url = new URL(`http://127.0.0.1:${service.ports.inner}`)
  own.push(url)
  return {
    applied,
    url,
    async purge(body: unknown, headers: Record<string, string> = {}) {
      const response = await fetch(new URL('/internal/purge', url), {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, ...headers },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
  }
}

const BODY = { paths: ['/places/skarnvik'], tags: ['prices'] }

describe('POST /internal/purge', () => {
  it('C6 counts the purge, marks its names, and notifies the processes that keep them', async () => {
    const dataDir = makeDataDir()
    const store = closed(createSqliteGenerations({ dataDir, now: Date.now }))
    const { epoch } = await store.raise({ paths: [], tags: [] })
    const { applied, purge } = await startInner({ dataDir })
    const { status, body } = await purge(BODY)
    const { generation, marks } = await store.read(0)
    const processes = { gateway: { confirmed: 1, failed: 0 } }
    expect({ status, body }).toEqual({ status: 200, body: { generation, processes } })
    expect(marks).toEqual([
      { kind: 'path', name: '/places/skarnvik', generation },
      { kind: 'tag', name: 'prices', generation },
    ])
    expect(applied).toEqual([{ ...BODY, everything: false, generation, epoch }])
    await purge({ everything: true })
    expect(await store.read(generation)).toMatchObject({ floor: expect.any(Number), marks: [] })
    expect(applied[1]).toMatchObject({ everything: true })
  })

  it('O9 C6 refuses a body by field, value and rule, and a request with an Origin', async () => {
    const { applied, purge } = await startInner()
    const { status, body } = await purge({ paths: ['places'] })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: { message: expect.stringMatching(/^paths\[0\]="places" must begin/) } })
    expect((await purge(BODY, { origin: 'http://localhost' })).status).toBe(403)
    expect((await purge(BODY, { authorization: 'Bearer x' })).status).toBe(401)
    expect(applied).toEqual([])
  })

  it('C5 C6 without the state store it reaches processes by messages, and reports generation 0', async () => {
    const { applied, purge } = await startInner({ stateRedisUrl: new URL('redis://127.0.0.1:1') })
    expect(await purge(BODY)).toMatchObject({ status: 200, body: { generation: 0 } })
    expect(applied).toMatchObject([BODY])
  })

  it('C6 responds 503 when neither the state store nor a process took the purge', async () => {
    const { purge } = await startInner({
      stateRedisUrl: new URL('redis://127.0.0.1:1'),
      innerUrls: { renderer: [NOWHERE] },
    })
    expect(await purge(BODY)).toMatchObject({ status: 503, body: { error: { code: 'purge-failed' } } })
  })
})

it('C6 reports the processes of each service by its name', async () => {
  const [one, two] = [await startInner(), await startInner()]
  const innerUrls = { gateway: [one.url], renderer: [one.url, two.url] }
  const { purge } = await startInner({ dataDir: makeDataDir(), innerUrls })
  const processes = { gateway: { confirmed: 1, failed: 0 }, renderer: { confirmed: 2, failed: 0 } }
  expect((await purge(BODY)).body).toMatchObject({ processes })
})

describe.skipIf(!hasRedis())('purges over Redis', () => {
  it('C6 O2 the user gateway counts, marks, removes old marks and broadcasts', async () => {
    const server = await startStackRedis('redis-state')
    ends.push(() => server.stop())
    const heard: InvalidationMessage[] = []
    ends.push(subscribeToInvalidations(server.urlOf('renderer'), 'test', (message) => void heard.push(message)))
    const changes = closed(
      openChanges({ stateRedisUrl: server.urlOf('gateway'), dataDir: '', innerUrls: {}, token: () => TOKEN, log }),
    )
    const publish = async (names: string[], everything = false) =>
      (await changes.publish({ paths: [], tags: names, everything })).generation
    // The subscriber may connect later than the publisher.
    const heardAfterPublish = async () => {
      await publish(['a'])
      return heard.length
    }
    await expect.poll(heardAfterPublish).toBeGreaterThan(0)
    expect(heard[0]).toMatchObject({ tags: ['a'], epoch: expect.stringMatching(/./) })
    const tags = (first: number) => Array.from({ length: 1000 }, (_, at) => `tag-${first + at}`)
    for (let at = 0; at < 11; at++) expect(await publish(tags(at * 1000))).toBeGreaterThan(0)
    expect(await publish([], true)).toBeGreaterThan(0)
  })
})
