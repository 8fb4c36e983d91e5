// The page cache over the state Redis, as the gateway's own user.

import { openFeed } from '@portico/shared/kit/feed/open-feed.ts'
import { createPublisher } from '@portico/shared/kit/feed/publish.ts'
import { createRedisGenerations } from '@portico/shared/kit/feed/redis-generations.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { hasRedis, type StackRedis, startStackRedis } from '@portico/shared/kit/testing/redis-server.ts'
import { Registry } from '@prometheus-io/client'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStackToken } from '../control/stack-token.ts'
import { createReplicas } from '../replicas/service-replicas.ts'
import { TOKEN } from '../testing/gateway-fixture.ts'
import { stopAfter } from '../testing/proxy-fixture.ts'
import type { Filled } from './fill.ts'
import { openPageCache } from './open-page-cache.ts'
import type { PageCache } from './page-cache.ts'
import { knownPage } from './page-key.ts'
import { rendererOf } from './testing/cached-gateway.ts'

type Found = ReturnType<PageCache['find']>

const page = knownPage({ pattern: '/about', params: {} })
const log = createLog('test', 'silent')

/** What a request for the page receives. */
const request = (cache: PageCache): Promise<Found | Filled> =>
  new Promise((done) => {
    const found = cache.find(page)
    if (found.kind === 'wait') found.wait(done)
    else done(found)
  })

async function open(stateRedisUrl: URL) {
  const renderer = await rendererOf()
  const { url } = renderer.upstream
  const replicas = createReplicas({ addresses: [{ url, innerUrl: url }] })
  await replicas.start()
  const store = { stateRedisUrl, dataDir: '/nowhere' }
  const token = await openStackToken({ stackToken: undefined, ...store }, log)
  const opened = openPageCache({
    feed: await openFeed(store, 'portico-gateway', log),
    token: token.current,
    limitBytes: 1_000_000,
    build: 'build1',
    replicas,
    registry: new Registry(),
    log,
  })
  stopAfter({
    async stop() {
      opened.close()
      token.close()
      replicas.close()
    },
  })
  return { ...opened, token, renderer }
}

describe.skipIf(!hasRedis())('the page cache over Redis', () => {
  let server: StackRedis
  let redis: Redis
  beforeAll(async () => {
    server = await startStackRedis('redis-state')
    redis = new Redis(server.urlOf('actions').href, { protocol: 2 })
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  it('C5 follows the marks as the user gateway, with the token of the stack', async () => {
    await redis.set('portico:secret:stack-token', TOKEN)
    const publisher = createPublisher({
      store: createRedisGenerations(redis),
      broadcast: (channel, text) => redis.publish(channel, text),
      innerUrls: [[new URL('http://127.0.0.1:1')]],
      token: () => 'token',
      log,
    })
    await publisher.publish({ paths: [], tags: [] })
    const { cache, token, renderer, warm } = await open(server.urlOf('gateway'))
    expect(token.current()).toBe(TOKEN)
    await warm()
    await expect.poll(async () => ((await request(cache)) as { verdict?: string }).verdict).toBe('HIT')
    const asked = renderer.asked.length
    await publisher.publish({ paths: ['/about'], tags: [] })
    await expect.poll(async () => ((await request(cache)) as { verdict?: string }).verdict).toBe('MISS')
    expect(renderer.asked.length).toBe(asked + 1)
    publisher.close()
  })

  it('C5 passes all pages to the proxy while the state store has not given the token', async () => {
    const { cache, token } = await open(new URL('redis://127.0.0.1:1'))
    expect(token.current()).toBeUndefined()
    expect((await request(cache)).kind).toBe('pass')
  })
})
