// The publishing side of the feed, against real listeners and a store in a file.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../observe/log.ts'
import type { GenerationStore } from './generations.ts'
import { createPublisher, type PublisherDeps } from './publish.ts'
import { createSqliteGenerations } from './sqlite-generations.ts'

const CHANGE = { paths: ['/a'], tags: ['t'] }
const CONFIRM = () => 200
const servers: Server[] = []
let dataDir = ''
let store: GenerationStore
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'portico-publish-'))
  store = createSqliteGenerations({ dataDir, now: Date.now })
})
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
  store.close()
  rmSync(dataDir, { recursive: true })
})

interface Replica {
  address: string
  bodies: unknown[]
}

/** Replicas share a port and differ by address, like replicas behind one host name. */
async function startReplicas(
  replies: (() => Promise<number> | number)[],
): Promise<{ port: number; replicas: Replica[] }> {
  let port = 0
  const replicas: Replica[] = []
  for (const [index, reply] of replies.entries()) {
    const replica: Replica = { address: `127.0.0.${index + 2}`, bodies: [] }
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      if (request.headers.authorization !== 'Bearer token') return void response.writeHead(401).end()
      replica.bodies.push([request.method, request.url, JSON.parse(Buffer.concat(chunks).toString())])
      response.writeHead(await reply(), { 'content-type': 'application/json' }).end('{}')
    })
    await new Promise<void>((done) => server.listen(port, replica.address, done))
    // A TCP server that listens has an AddressInfo.
    port = (server.address() as AddressInfo).port
    servers.push(server)
    replicas.push(replica)
  }
  return { port, replicas }
}

async function setUp(
  replies: (() => Promise<number> | number)[],
  { absent = false, ...deps }: { absent?: boolean } & Partial<PublisherDeps> = {},
) {
  const { port, replicas } = await startReplicas(replies)
  const lines: string[] = []
  const missing = absent ? ['127.0.0.99'] : []
  const publisher = createPublisher({
    store,
    innerUrls: [[new URL(`http://renderer:${port}`)]],
    token: () => 'token',
    log: createLog('test', 'info', { write: (line) => void lines.push(line) }),
    timeoutMs: 200,
    lookup: async (host) => (host === 'renderer' ? [...replicas.map(({ address }) => address), ...missing] : []),
    ...deps,
  })
  return { publisher, replicas, lines, port }
}

/** A store that is unavailable until `isBack`. */
function unavailableStore() {
  const state = { isBack: false }
  const refusing: GenerationStore = {
    ...store,
    raise: (change) => (state.isBack ? store.raise(change) : Promise.reject(new Error('unavailable'))),
  }
  return { store: refusing, state }
}

describe('publishing a change', () => {
  it('D6 counts the change first, then notifies every replica and the channel with its generation', async () => {
    const sent: [string, string][] = []
    const broadcast = async (channel: string, text: string) => void sent.push([channel, text])
    const { publisher, replicas } = await setUp([CONFIRM, CONFIRM, CONFIRM], { broadcast })
    const position = await publisher.publish(CHANGE)
    const { epoch, generation } = await store.read(0)
    expect(position).toEqual({ epoch, generation })
    const message = { ...CHANGE, generation, epoch, everything: false }
    for (const { bodies } of replicas) expect(bodies).toEqual([['POST', '/internal/invalidate', message]])
    expect(sent.map(([channel, text]) => [channel, JSON.parse(text)])).toEqual([['portico:invalidate', message]])
  })

  it('K3 a list of URLs is one service: one process of it that confirms is enough without the state store', async () => {
    const { port } = await startReplicas([CONFIRM])
    const silent = createLog('test', 'silent')
    const { store: refusing } = unavailableStore()
    const urls = [`http://127.0.0.2:${port}`, 'http://127.0.0.2:1'].map((text) => new URL(text))
    const publish = (innerUrls: PublisherDeps['innerUrls']) => {
      const publisher = createPublisher({
        store: refusing,
        innerUrls,
        token: () => 'token',
        log: silent,
        timeoutMs: 50,
      })
      return publisher.publish(CHANGE).finally(() => publisher.close())
    }
    expect(await publish([urls])).toEqual({ generation: 0 })
    await expect(publish(urls.map((url) => [url]))).rejects.toThrow('no process at 127.0.0.2:1 received')
  })

  it('D6 does not wait longer than its limit for replicas that are unreachable, fail or hang, and names each in the log', async () => {
    const unconfirmed: string[] = []
    const { publisher, lines, port } = await setUp([CONFIRM, () => 500, () => new Promise<number>(() => {})], {
      absent: true,
      onUnconfirmed: (address) => void unconfirmed.push(address),
    })
    const { reached } = await publisher.publishAndCount(CHANGE)
    expect(reached).toEqual([{ confirmed: 1, failed: 3 }])
    expect(unconfirmed).toEqual(['127.0.0.3', '127.0.0.4', '127.0.0.99'].map((address) => `${address}:${port}`))
    expect(lines).toHaveLength(3)
    for (const address of unconfirmed) expect(lines.join()).toContain(address)
    expect(lines.join()).not.toContain('Bearer')
  })

  it('C5 waits for the end of the time limit where a process has not confirmed, because it may serve what it keeps', async () => {
    const publishIn = async (replies: (() => number)[], deps?: Partial<PublisherDeps>) => {
      const { publisher } = await setUp(replies, deps)
      const startedAt = performance.now()
      await publisher.publish(CHANGE)
      return performance.now() - startedAt
    }
    // A timer may end a few milliseconds early.
    expect(await publishIn([CONFIRM, () => 404])).toBeGreaterThan(190)
    expect(await publishIn([], { lookup: () => Promise.reject(new Error('no such name')) })).toBeGreaterThan(190)
    expect(await publishIn([CONFIRM, CONFIRM], { timeoutMs: 20_000 })).toBeLessThan(10_000)
  })

  it('D6 a counted change needs no replica that confirms: every process reads the marks', async () => {
    const { generation } = await (await setUp([() => 500])).publisher.publish(CHANGE)
    expect((await store.read(0)).generation).toBe(generation)
  })

  it('D6 without the state store, one confirming replica suffices and none rejects', async () => {
    const { store: away } = unavailableStore()
    const { publisher, replicas } = await setUp([CONFIRM, () => 500], { store: away })
    expect(await publisher.publish(CHANGE)).toEqual({ generation: 0 })
    expect(replicas[0]?.bodies).toMatchObject([['POST', '/internal/invalidate', { generation: 0, epoch: '' }]])
    publisher.close()
    for (const replies of [[() => 500], []]) {
      const { publisher: deaf } = await setUp(replies, { store: away })
      await expect(deaf.publish(CHANGE)).rejects.toThrow('no process')
      deaf.close()
    }
    const { publisher: refused } = await setUp([CONFIRM], { store: away, token: () => 'wrong' })
    await expect(refused.publish(CHANGE)).rejects.toThrow('no process')
    refused.close()
  })

  it('C5 counts the changes of an outage when the state store is back', async () => {
    const { store: away, state } = unavailableStore()
    const { publisher } = await setUp([CONFIRM], { store: away })
    await publisher.publish(CHANGE)
    await publisher.publish({ paths: ['/b'], tags: [] })
    state.isBack = true
    const names = async () => (await store.read(0)).marks.map(({ kind, name }) => `${kind} ${name}`).toSorted()
    await expect.poll(names, { timeout: 5000 }).toEqual(['path /a', 'path /b', 'tag t'])
    publisher.close()
  })

  it('C5 an outage with many changes counts as a change of everything', async () => {
    const { store: away, state } = unavailableStore()
    const { publisher } = await setUp([CONFIRM], { store: away })
    await publisher.publish({ paths: Array.from({ length: 1001 }, (_, at) => `/${at}`), tags: [] })
    state.isBack = true
    await expect.poll(async () => (await store.read(0)).floor, { timeout: 5000 }).toBeGreaterThan(0)
    publisher.close()
  })

  it("D6 resolves an address with the system's resolver", async () => {
    const { port, replicas } = await startReplicas([CONFIRM])
    const innerUrls = [[new URL(`http://127.0.0.2:${port}`)]]
    await createPublisher({ store, innerUrls, token: () => 'token', log: createLog('test', 'silent') }).publish(CHANGE)
    expect(replicas[0]?.bodies).toHaveLength(1)
  })
})
