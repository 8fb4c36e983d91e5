// The publishing side of D6 against real listeners.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createLog } from '../observe/log.ts'
import { createHttpInvalidation, createSharedInvalidation, parseInvalidationMessage } from './invalidation.ts'

const CHANGE = { paths: ['/a'], tags: ['t'] }
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

interface Replica {
  address: string
  family: number
  bodies: unknown[]
}

/** Replicas share a port and differ by address, like replicas behind one host name. */
async function startReplicas(
  replies: (() => Promise<number> | number)[],
): Promise<{ port: number; replicas: Replica[] }> {
  let port = 0
  const replicas: Replica[] = []
  for (const [index, reply] of replies.entries()) {
    const replica: Replica = { address: `127.0.0.${index + 2}`, family: 4, bodies: [] }
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      if (request.headers.authorization !== 'Bearer token') return void response.writeHead(401).end()
      replica.bodies.push([request.method, request.url, JSON.parse(Buffer.concat(chunks).toString())])
      const generation = await reply()
      response.writeHead(generation < 0 ? 500 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ generation }))
    })
    await new Promise<void>((done) => server.listen(port, replica.address, done))
    // A TCP server that listens has an AddressInfo.
    port = (server.address() as AddressInfo).port
    servers.push(server)
    replicas.push(replica)
  }
  return { port, replicas }
}

async function setUp(replies: (() => Promise<number> | number)[], more: { absent?: boolean; token?: string } = {}) {
  const { port, replicas } = await startReplicas(replies)
  const lines: string[] = []
  const absent = more.absent ? [{ address: '127.0.0.99', family: 4 }] : []
  const invalidation = createHttpInvalidation({
    rendererInnerUrl: new URL(`http://renderer:${port}`),
    token: more.token ?? 'token',
    log: createLog('test', 'info', { write: (line) => void lines.push(line) }),
    timeoutMs: 200,
    resolve: async (host) => (host === 'renderer' ? [...replicas, ...absent] : []),
  })
  return { invalidation, replicas, lines }
}

describe('invalidation over HTTP', () => {
  it('D6 notifies every replica and returns the highest generation', async () => {
    const { invalidation, replicas } = await setUp([() => 3, () => 9, () => 5])
    expect(await invalidation.publish(CHANGE)).toEqual({ generation: 9 })
    for (const { bodies } of replicas) expect(bodies).toEqual([['POST', '/internal/revalidate', CHANGE]])
  })

  it('D6 does not wait for replicas that are unreachable, fail or hang, and names each in the log', async () => {
    const { invalidation, lines } = await setUp([() => 3, () => -1, () => new Promise<number>(() => {})], {
      absent: true,
    })
    const startedAt = Date.now()
    expect(await invalidation.publish(CHANGE)).toEqual({ generation: 3 })
    expect(Date.now() - startedAt).toBeLessThan(1500)
    expect(lines).toHaveLength(3)
    for (const address of ['127.0.0.3', '127.0.0.4', '127.0.0.99']) expect(lines.join()).toContain(address)
    expect(lines.join()).not.toContain('Bearer')
  })

  it('D6 rejects when no replica could be notified', async () => {
    await expect((await setUp([() => -1])).invalidation.publish(CHANGE)).rejects.toThrow('no renderer')
    await expect((await setUp([() => 1], { token: 'wrong' })).invalidation.publish(CHANGE)).rejects.toThrow(
      'no renderer',
    )
    await expect((await setUp([])).invalidation.publish(CHANGE)).rejects.toThrow('no renderer')
  })

  it("D6 resolves an address with the system's resolver", async () => {
    const { port, replicas } = await startReplicas([() => 1])
    const rendererInnerUrl = new URL(`http://127.0.0.2:${port}`)
    const invalidation = createHttpInvalidation({ rendererInnerUrl, token: 'token', log: createLog('test', 'silent') })
    expect(await invalidation.publish(CHANGE)).toEqual({ generation: 1 })
    expect(replicas[0]?.bodies).toHaveLength(1)
  })
})

describe('invalidation over Redis', () => {
  const setUpShared = (more: { unavailable?: boolean; notified?: () => Promise<{ generation: number }> } = {}) => {
    const calls: unknown[] = []
    const refuse = () => {
      if (more.unavailable) throw new Error('unavailable')
    }
    const invalidation = createSharedInvalidation({
      redis: {
        async incr(key) {
          calls.push(['incr', key])
          refuse()
          return 7
        },
        async publish(channel, message) {
          calls.push(['publish', channel, parseInvalidationMessage(message)])
          return 1
        },
      },
      http: {
        async publish(change) {
          calls.push(['http', change])
          return more.notified ? more.notified() : { generation: 7 }
        },
      },
      log: createLog('test', 'silent'),
    })
    return { invalidation, calls }
  }

  it('D6 counts the generation first, then publishes it and notifies the renderers', async () => {
    const { invalidation, calls } = setUpShared()
    expect(await invalidation.publish(CHANGE)).toEqual({ generation: 7 })
    expect(calls).toEqual([
      ['incr', 'portico:generation'],
      ['publish', 'portico:invalidation', { generation: 7, ...CHANGE }],
      ['http', { generation: 7, ...CHANGE }],
    ])
  })

  it('D6 returns the higher generation when a renderer is ahead of the count', async () => {
    const { invalidation } = setUpShared({ notified: async () => ({ generation: 12 }) })
    expect(await invalidation.publish(CHANGE)).toEqual({ generation: 12 })
  })

  it('D6 uses only HTTP while Redis is unavailable', async () => {
    const { invalidation, calls } = setUpShared({ unavailable: true, notified: async () => ({ generation: 3 }) })
    expect(await invalidation.publish(CHANGE)).toEqual({ generation: 3 })
    expect(calls).toEqual([
      ['incr', 'portico:generation'],
      ['http', CHANGE],
    ])
  })

  it('D6 accepts the publication alone when no renderer could be notified', async () => {
    const { invalidation } = setUpShared({ notified: () => Promise.reject(new Error('none')) })
    expect(await invalidation.publish(CHANGE)).toEqual({ generation: 7 })
  })

  it.each(['', '{', 'null', '[]', '{"generation":"1","paths":[],"tags":[]}', '{"generation":1,"paths":[1],"tags":[]}'])(
    'D6 reads no message out of %s',
    (text) => {
      expect(parseInvalidationMessage(text)).toBeUndefined()
    },
  )
})
