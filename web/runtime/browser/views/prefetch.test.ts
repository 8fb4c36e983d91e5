// The prefetch cache with a clock that only tests advance.

import { beforeEach, describe, expect, test } from 'vitest'
import type { DataResult } from './fetch-page-data.ts'
import { createPrefetcher, type Prefetcher } from './prefetch.ts'

interface Requested {
  url: string
  signal: AbortSignal
  respond: (result: DataResult) => Promise<void>
  fail: (error: Error) => Promise<void>
}

let requested: Requested[]
let now: number
let prefetcher: Prefetcher

const settled = () => new Promise<void>((done) => setImmediate(done))

beforeEach(() => {
  requested = []
  now = 1000
  prefetcher = createPrefetcher({
    now: () => now,
    fetchData: (url, signal) =>
      new Promise((resolve, reject) => {
        // As fetch does.
        signal.addEventListener('abort', () => reject(signal.reason))
        requested.push({
          url,
          signal,
          respond: (result) => {
            resolve(result)
            return settled()
          },
          fail: (error) => {
            reject(error)
            return settled()
          },
        })
      }),
  })
})

function dataOf(name: string, isPrivate = false): DataResult {
  return { kind: 'data', data: { kind: 'page', route: '/', params: {}, props: { name } }, isPrivate }
}

async function prefetched(url: string, isPrivate = false): Promise<void> {
  prefetcher.request(url, 'view')
  await requested.at(-1)!.respond(dataOf(url, isPrivate))
}

const urls = () => requested.map(({ url }) => url)

describe('queue', () => {
  test('P2 runs five at a time, in order', async () => {
    for (let at = 1; at <= 8; at++) prefetcher.request(`/${at}`, 'view')
    expect(urls()).toEqual(['/1', '/2', '/3', '/4', '/5'])
    await requested[2]!.respond(dataOf('3'))
    expect(urls()).toEqual(['/1', '/2', '/3', '/4', '/5', '/6'])
    await requested[0]!.fail(new Error('gone'))
    expect(urls().at(-1)).toBe('/7')
  })

  test('P2 requests of intent are sent first, the newest before all', async () => {
    for (let at = 1; at <= 8; at++) prefetcher.request(`/${at}`, 'view')
    prefetcher.request('/7', 'intent')
    prefetcher.request('/new', 'intent')
    for (let at = 0; at < 5; at++) await requested[at]!.respond(dataOf('x'))
    expect(urls().slice(5)).toEqual(['/new', '/7', '/6', '/8'])
  })

  test('P2 what left the view before it started is dropped, unless the pointer was on it', async () => {
    for (let at = 1; at <= 8; at++) prefetcher.request(`/${at}`, 'view')
    prefetcher.request('/7', 'intent')
    for (const url of ['/1', '/6', '/7', '/8']) prefetcher.cancel(url)
    expect(requested[0]!.signal.aborted).toBe(false)
    for (let at = 0; at < 5; at++) await requested[at]!.respond(dataOf('x'))
    expect(urls().slice(5)).toEqual(['/7'])
  })

  test('P2 sends one request per address, however often it is requested', async () => {
    for (let at = 0; at < 3; at++) prefetcher.request('/a', at % 2 ? 'intent' : 'view')
    expect(urls()).toEqual(['/a'])
    await requested[0]!.respond(dataOf('a'))
    prefetcher.request('/a', 'intent')
    expect(urls()).toEqual(['/a'])
  })

  test('P1 a navigation aborts prefetches that are not its own', async () => {
    for (let at = 1; at <= 7; at++) prefetcher.request(`/${at}`, 'view')
    prefetcher.abortOthers('/2')
    expect(requested.map(({ signal }) => signal.aborted)).toEqual([true, false, true, true, true])
    const taken = prefetcher.take('/2')
    await requested[1]!.respond(dataOf('2'))
    expect(await taken).toMatchObject({ data: { props: { name: '2' } }, isFresh: true })
    expect(urls()).toHaveLength(5)
    prefetcher.request('/1', 'view')
    expect(urls().at(-1)).toBe('/1')
  })
})

describe('age', () => {
  const cases: [string, number, boolean, boolean | undefined][] = [
    ['P3 30 s after its arrival an entry is used as it is', 30_000, false, true],
    ['P3 later it is shown and refreshed behind', 30_001, false, false],
    ['P3 300 s after its arrival still', 300_000, false, false],
    ['P3 later it is dropped', 300_001, false, undefined],
    ['P3 private data is used for 30 s', 30_000, true, true],
    ['P3 private data is never used later', 30_001, true, undefined],
  ]
  for (const [title, age, isPrivate, isFresh] of cases)
    test(title, async () => {
      prefetcher.request('/a', 'view')
      // The age of a response begins at its arrival.
      now += 60_000
      await requested[0]!.respond(dataOf('a', isPrivate))
      now += age
      const taken = await prefetcher.take('/a')
      expect(taken?.isFresh).toBe(isFresh)
    })

  test('P3 private data is used by one navigation, other data by more', async () => {
    for (const isPrivate of [true, false]) {
      await prefetched('/a', isPrivate)
      prefetcher.used('/a')
      expect((await prefetcher.take('/a'))?.isFresh).toBe(isPrivate ? undefined : true)
    }
  })

  test('P3 an entry that is not fresh is fetched again', async () => {
    await prefetched('/a')
    now += 30_001
    prefetcher.request('/a', 'view')
    expect(urls()).toEqual(['/a', '/a'])
  })

  test('P3 a failed prefetch is silent and not kept', async () => {
    prefetcher.request('/a', 'view')
    const taken = prefetcher.take('/a')
    await requested[0]!.fail(new Error('network'))
    expect(await taken).toBeUndefined()
    prefetcher.request('/b', 'view')
    await requested[1]!.respond({ kind: 'unusable', reason: 'status', status: 500 })
    expect([prefetcher.take('/a'), prefetcher.take('/b')]).toEqual([undefined, undefined])
  })
})

describe('clear', () => {
  test('P4 drops what is kept, what runs and what waits', async () => {
    await prefetched('/kept')
    for (let at = 1; at <= 7; at++) prefetcher.request(`/${at}`, 'view')
    const running = prefetcher.take('/1')
    prefetcher.clear()
    await settled()
    expect(requested.slice(1).every(({ signal }) => signal.aborted)).toBe(true)
    expect(await running).toBeUndefined()
    expect(prefetcher.take('/kept')).toBeUndefined()
    expect(urls()).toHaveLength(6)
  })

  test('P4 drops what is kept and what runs for one address', async () => {
    await prefetched('/kept')
    await prefetched('/other')
    prefetcher.request('/running', 'view')
    const running = prefetcher.take('/running')
    for (const url of ['/kept', '/running']) prefetcher.drop(url)
    await settled()
    expect(await running).toBeUndefined()
    expect(prefetcher.take('/kept')).toBeUndefined()
    expect(prefetcher.take('/other')).toBeDefined()
  })

  test('P4 a response that arrives after all entries were dropped is not kept', async () => {
    let respond: (value: DataResult) => void = () => {}
    const fetchData = () =>
      new Promise<DataResult>((done) => {
        respond = done
      })
    const deaf = createPrefetcher({ now: () => now, fetchData })
    deaf.request('/a', 'view')
    deaf.clear()
    respond(dataOf('a'))
    await settled()
    expect(deaf.take('/a')).toBeUndefined()
  })

  test('P4 five can run again after all was dropped', async () => {
    for (let at = 1; at <= 5; at++) prefetcher.request(`/${at}`, 'view')
    prefetcher.clear()
    await settled()
    for (let at = 1; at <= 7; at++) prefetcher.request(`/again-${at}`, 'view')
    expect(urls().slice(5)).toHaveLength(5)
  })
})

test('P1 page data whose values still arrive is closed, and not kept', async () => {
  let closed = 0
  prefetcher.request('/later', 'intent')
  const taken = prefetcher.take('/later')
  await requested[0]!.respond({
    kind: 'data',
    isPrivate: true,
    data: { kind: 'page', route: '/', params: {}, props: {}, close: () => void closed++ },
  })
  expect([closed, await taken, prefetcher.take('/later')]).toEqual([1, undefined, undefined])
})
