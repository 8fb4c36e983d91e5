// The data cache of a process over a feed.

import { describe, expect, it } from 'vitest'
import type { CachedData } from '../../wire/bundles.ts'
import { type Confirmation, createFeed } from '../feed/feed.ts'
import { createLog } from '../observe/log.ts'
import { messageOf } from '../testing/changes.ts'
import { createDataCache } from './data-cache.ts'

function setUp({ limitBytes = 1024 * 1024 } = {}) {
  const feed = createFeed({ log: createLog('test', 'silent') })
  const clock = { now: 0 }
  const state = { confirmation: 'confirmed' as Confirmation }
  const viewOf = createDataCache({
    feed: { ...feed, confirm: async () => state.confirmation },
    limitBytes,
    now: () => clock.now,
  })
  const counter = { loads: 0 }
  const data = (more: Partial<CachedData> = {}): CachedData => {
    const tags = more.tags ?? ['t']
    const load = async () => ({ json: String(++counter.loads), tags })
    return { tags, revalidateSeconds: undefined, load, ...more }
  }
  const read = async (view = viewOf({}), key = 'k', more: Partial<CachedData> = {}) =>
    (await view.read(key, data(more))).json
  return {
    feed,
    clock,
    state,
    viewOf,
    counter,
    read,
    revalidate: (...tags: string[]) => feed.apply(messageOf({ tags })),
  }
}

describe('the data cache', () => {
  it('C8 keeps one result per key', async () => {
    const { read, viewOf } = setUp()
    expect([await read(), await read(), await read(viewOf({}), 'other'), await read()]).toEqual(['1', '1', '2', '1'])
  })

  it('C8 loads once for all requests that wait', async () => {
    const { read } = setUp()
    expect(await Promise.all([read(), read(), read()])).toEqual(['1', '1', '1'])
  })

  it('C8 a revalidated tag makes its data out of date, and no other data', async () => {
    const { read, revalidate, viewOf } = setUp()
    await read()
    await read(viewOf({}), 'other', { tags: ['u'] })
    revalidate('t')
    expect([await read(), await read(viewOf({}), 'other', { tags: ['u'] })]).toEqual(['3', '2'])
  })

  it('C8 a load that began before a revalidation is neither kept nor shared with later requests', async () => {
    const { read, revalidate, viewOf } = setUp()
    let finish = () => {}
    const slow = new Promise<void>((done) => {
      finish = done
    })
    const early = read(viewOf({}), 'k', {
      load: async () => {
        await slow
        return { json: 'old', tags: ['t'] }
      },
    })
    await Promise.resolve()
    revalidate('t')
    expect(await read()).toBe('1')
    finish()
    expect([await early, await read()]).toEqual(['old', '1'])
  })

  it('C8 tags of the data that a result is made of count, too', async () => {
    const { read, revalidate, viewOf, counter } = setUp()
    const load = async () => ({ json: String(++counter.loads), tags: ['t', 'inner'] })
    await read(viewOf({}), 'k', { load })
    revalidate('inner')
    expect(await read(viewOf({}), 'k', { load })).toBe('2')
  })

  it('C8 loads again after its seconds', async () => {
    const { read, clock, viewOf } = setUp()
    const more = { revalidateSeconds: 10 }
    await read(viewOf({}), 'k', more)
    clock.now = 10_000
    expect(await read(viewOf({}), 'k', more)).toBe('1')
    clock.now = 10_001
    expect(await read(viewOf({}), 'k', more)).toBe('2')
  })

  it('C8 a request never reads what it has revalidated itself, and keeps nothing of it', async () => {
    const { read, viewOf } = setUp()
    await read()
    const ownTags = new Set<string>()
    const view = viewOf({ ownTags })
    expect(await read(view)).toBe('1')
    ownTags.add('t')
    expect([await read(view), await read(view)]).toEqual(['2', '3'])
    expect(await read()).toBe('1')
  })

  it('C8 reads nothing that was kept while the marks of the needed generation are unknown', async () => {
    const { read, state, viewOf } = setUp()
    await read()
    state.confirmation = 'behind'
    expect(await read(viewOf({ needed: { generation: 9 } }))).toBe('2')
    state.confirmation = 'away'
    expect(await read()).toBe('2')
  })

  it('C8 a failed load is not kept', async () => {
    const { read, viewOf } = setUp()
    await expect(read(viewOf({}), 'k', { load: () => Promise.reject(new Error('no')) })).rejects.toThrow('no')
    expect(await read()).toBe('1')
  })

  it('C8 is bounded by bytes, and keeps no result above a sixteenth of them', async () => {
    const { read, viewOf, counter } = setUp({ limitBytes: 32_000 })
    const big = { load: async () => ({ json: 'x'.repeat(++counter.loads + 2000), tags: [] }) }
    await read(viewOf({}), 'big', big)
    await read(viewOf({}), 'big', big)
    expect(counter.loads).toBe(2)
    for (let at = 0; at < 100; at++) await read(viewOf({}), `k${at}`)
    const before = counter.loads
    for (let at = 99; at >= 0; at--) await read(viewOf({}), `k${at}`)
    expect(counter.loads - before).toBeGreaterThan(30)
    expect(counter.loads - before).toBeLessThan(80)
  })
})
