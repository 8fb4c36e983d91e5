// The feed of one process over a store in a file: two processes on one store, an outage, a lost store.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from '@prometheus-io/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PROCESS_LIMIT_MS, TRUSTED_MS } from '../../wire/invalidation.ts'
import { createLog } from '../observe/log.ts'
import { addFeedMetrics } from '../observe/metrics.ts'
import { messageOf } from '../testing/changes.ts'
import { createFeed, type Feed } from './feed.ts'
import type { GenerationReader, GenerationStore } from './generations.ts'
import { createSqliteGenerations } from './sqlite-generations.ts'

let dataDir = ''
let store: GenerationStore
const closing: (() => void)[] = []
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'portico-feed-'))
  store = createSqliteGenerations({ dataDir, now: Date.now })
  closing.push(store.close)
  // As the actions service does at its start.
  await store.raise({ paths: [], tags: [] })
})
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close()
  rmSync(dataDir, { recursive: true })
})

/** A feed whose store can be switched off. */
async function setUp() {
  const events: unknown[] = []
  const log = createLog('test', 'info', { write: (line) => void events.push(JSON.parse(line).event) })
  const state = { isAway: false, source: createSqliteGenerations({ dataDir, now: Date.now }) }
  const clock = { now: 1000 }
  const reader: GenerationReader = {
    read: async (since) => {
      if (state.isAway) throw new Error('unavailable')
      return state.source.read(since)
    },
    close: () => state.source.close(),
  }
  const feed = createFeed({ reader, log, now: () => clock.now })
  closing.push(feed.close)
  await expect.poll(() => feed.confirm()).toBe('confirmed')
  return { feed, events, state, clock }
}

const currentPaths = (feed: Feed, asOf: ReturnType<Feed['asOf']>) =>
  ['/a', '/b'].filter((path) => feed.isCurrent(asOf, path, []))

describe('the feed', () => {
  it('C5 refuses nothing again when the message of a mark that was read arrives', async () => {
    const { feed } = await setUp()
    const change = { paths: ['/a'], tags: ['t'] }
    const counted = await store.raise(change)
    await expect.poll(() => feed.asOf().generation).toBe(counted.generation)
    const asOf = feed.asOf()
    feed.apply(messageOf(change, counted))
    expect(currentPaths(feed, asOf)).toEqual(['/a', '/b'])
    feed.apply(messageOf({ paths: ['/b'] }, counted))
    expect(currentPaths(feed, asOf), 'a change that the store has lost').toEqual(['/a'])
  })

  it('C5 marks what another process counted, without any message', async () => {
    const { feed } = await setUp()
    const asOf = feed.asOf()
    const { generation } = await store.raise({ paths: ['/a'], tags: [] })
    await expect.poll(() => currentPaths(feed, asOf)).toEqual(['/b'])
    expect(feed.asOf().generation).toBe(generation)
    expect(currentPaths(feed, feed.asOf())).toEqual(['/a', '/b'])
  })

  it('C5 a message is taken immediately, and its mark is not taken twice', async () => {
    const { feed } = await setUp()
    const first = await store.raise({ paths: ['/b'], tags: [] })
    expect(await feed.confirm(first)).toBe('confirmed')
    const asOf = feed.asOf()
    const counted = await store.raise({ paths: ['/a'], tags: ['t'] })
    feed.apply(messageOf({ paths: ['/a'], tags: ['t'] }, counted))
    expect(currentPaths(feed, asOf)).toEqual(['/b'])
    expect(feed.isCurrent(asOf, '/c', ['t'])).toBe(false)
    const after = feed.asOf()
    await store.raise({ paths: ['/b'], tags: [] })
    await expect.poll(() => currentPaths(feed, after)).toEqual(['/a'])
  })

  it('C5 a message that arrives after a later one still marks what is older than itself', async () => {
    const { feed } = await setUp()
    await store.raise({ paths: ['/c'], tags: [] })
    await expect.poll(() => feed.asOf().generation).toBeGreaterThan(0)
    const asOf = feed.asOf()
    const one = await store.raise({ paths: ['/a'], tags: [] })
    const two = await store.raise({ paths: ['/b'], tags: [] })
    feed.apply(messageOf({ paths: ['/b'] }, two))
    feed.apply(messageOf({ paths: ['/a'] }, one))
    expect(currentPaths(feed, asOf)).toEqual([])
  })

  it('C5 confirms a generation by reading the store, or reports that it is behind', async () => {
    const { feed, state } = await setUp()
    const { generation } = await store.raise({ paths: ['/a'], tags: [] })
    expect(await feed.confirm({ generation })).toBe('confirmed')
    expect(await feed.confirm({ generation: generation + 1 })).toBe('behind')
    state.isAway = true
    expect(await feed.confirm({ generation })).toBe('confirmed')
    expect(await feed.confirm({ generation: generation + 1 })).toBe('behind')
  })

  it('C5 the position names the epoch of the store and the latest generation that a read or a message named', async () => {
    const { feed } = await setUp()
    const read = await store.raise({ paths: ['/a'], tags: [] })
    await feed.confirm(read)
    expect(feed.position()).toEqual(read)
    const sent = { ...read, generation: read.generation + 1 }
    feed.apply(messageOf({ paths: ['/b'] }, sent))
    expect(feed.position()).toEqual(sent)
  })

  it('C5 a position of another epoch makes this process read the store', async () => {
    const { feed } = await setUp()
    const asOf = feed.asOf()
    const counted = await store.raise({ paths: ['/a'], tags: [] })
    // Another process has read a store that was lost since.
    expect(await feed.confirm({ epoch: 'earlier', generation: counted.generation + 1000 })).toBe('confirmed')
    expect(currentPaths(feed, asOf)).toEqual(['/b'])
  })

  it('C5 while the store is away a change is known whose message arrived, and no other', async () => {
    const { feed, state, clock, events } = await setUp()
    const { epoch = '', generation } = feed.position()
    state.isAway = true
    await expect.poll(() => events).toEqual(['invalidations-away'])
    clock.now += 501
    feed.apply(messageOf({ paths: ['/a'] }, { epoch, generation: generation + 2 }))
    expect(await feed.confirm({ epoch, generation: generation + 2 })).toBe('away')
    expect(await feed.confirm({ epoch, generation: generation + 3 })).toBe('behind')
    expect(await feed.confirm({ epoch: 'other', generation })).toBe('behind')
  })

  it('C5 reports without a read whether kept data may be used', async () => {
    const { feed, state, clock } = await setUp()
    expect(feed.isConfirmed()).toBe(true)
    state.isAway = true
    clock.now += TRUSTED_MS
    expect(feed.isConfirmed()).toBe(true)
    clock.now++
    expect(feed.isConfirmed()).toBe(false)
    state.isAway = false
    await expect.poll(() => feed.isConfirmed()).toBe(true)
  })

  it('C5 is not confirmed for as long as a publisher waits after a change without a place in the order', async () => {
    const { feed, clock } = await setUp()
    feed.apply(messageOf({ paths: ['/a'], tags: [] }, { generation: 0, epoch: '' }))
    expect(feed.isConfirmed()).toBe(false)
    clock.now += PROCESS_LIMIT_MS
    expect(await feed.confirm()).toBe('confirmed')
    expect(feed.isConfirmed()).toBe(false)
    clock.now++
    await expect.poll(() => feed.isConfirmed()).toBe(true)
  })

  it('C5 has a new revision after each mark and after lost marks, and after nothing else', async () => {
    const { feed } = await setUp()
    const first = feed.revision()
    const empty = await store.raise({ paths: [], tags: [] })
    await expect.poll(() => feed.asOf().generation).toBe(empty.generation)
    expect(feed.revision()).toBe(first)
    const counted = await store.raise({ paths: ['/a'], tags: [] })
    feed.apply(messageOf({ paths: ['/a'], tags: [] }, counted))
    const second = feed.revision()
    expect(second).not.toBe(first)
    feed.apply(messageOf({ paths: ['/a'], tags: [] }, { generation: 0, epoch: '' }))
    expect(feed.revision()).not.toBe(second)
  })

  it('C5 is confirmed for less time after the last read of the store than a publisher waits', async () => {
    const { feed, state, clock, events } = await setUp()
    state.isAway = true
    await expect.poll(() => events).toEqual(['invalidations-away'])
    expect(TRUSTED_MS).toBeLessThan(PROCESS_LIMIT_MS)
    clock.now += TRUSTED_MS
    expect(await feed.confirm()).toBe('confirmed')
    clock.now += 1
    expect(await feed.confirm()).toBe('away')
    state.isAway = false
    await expect.poll(() => feed.confirm()).toBe('confirmed')
  })

  it('C5 after a pause of the process the store is read before anything kept is used', async () => {
    const { feed, clock } = await setUp()
    const asOf = feed.asOf()
    await store.raise({ paths: ['/a'], tags: [] })
    clock.now += 60_000
    expect(await feed.confirm()).toBe('confirmed')
    expect(currentPaths(feed, asOf)).toEqual(['/b'])
  })

  it('C5 while the store is away messages mark, and marks of the outage are read afterwards', async () => {
    const { feed, state, events } = await setUp()
    await store.raise({ paths: ['/c'], tags: [] })
    await expect.poll(() => feed.asOf().generation).toBeGreaterThan(0)
    state.isAway = true
    await expect.poll(() => events).toEqual(['invalidations-away'])
    const asOf = feed.asOf()
    feed.apply(messageOf({ paths: ['/a'] }))
    expect(currentPaths(feed, asOf)).toEqual(['/b'])
    expect(currentPaths(feed, feed.asOf())).toEqual(['/a', '/b'])
    await store.raise({ paths: ['/b'], tags: [] })
    const during = feed.asOf()
    state.isAway = false
    await expect.poll(() => currentPaths(feed, during)).toEqual(['/a'])
    expect(events).toEqual(['invalidations-away', 'invalidations-back'])
  })

  it('C5 a store without its data, or with an older copy, makes everything out of date', async () => {
    const { feed, state, events } = await setUp()
    await store.raise({ paths: ['/c'], tags: [] })
    await expect.poll(() => feed.asOf().generation).toBeGreaterThan(0)
    const asOf = feed.asOf()
    const empty = mkdtempSync(join(tmpdir(), 'portico-feed-empty-'))
    const earlier = state.source
    state.source = createSqliteGenerations({ dataDir: empty, now: Date.now })
    await expect.poll(() => currentPaths(feed, asOf)).toEqual([])
    expect(events).toEqual(['marks-lost'])
    const registry = new Registry()
    addFeedMetrics(registry, feed)
    expect(await registry.metrics()).toMatch(/^portico_feed_marks_lost_total 1$/m)
    expect(await registry.metrics()).toMatch(/^portico_feed_confirmed 1$/m)
    earlier.close()
    rmSync(empty, { recursive: true })
  })
})
