// cached() as code of a site calls it, with and without a data cache.

import type { CachedData, KeptData, RequestContext } from '@portico/shared/wire/bundles.ts'
import { describe, expect, test } from 'vitest'
import { cached } from './cached.ts'
import { cookies, headers } from './cookies.ts'
import { runWithContext } from './request-context.ts'

/** A context with a client, and a cache that keeps everything. */
function contextOf(more: Partial<RequestContext> = {}) {
  const kept = new Map<string, KeptData>()
  const reads: [string, CachedData][] = []
  const context: RequestContext = {
    kind: 'page',
    name: '/test',
    requestId: 'request',
    url: '/test',
    origin: 'http://localhost',
    headers: { 'accept-language': 'de' },
    cookies: { session: 'secret' },
    setCookies: [],
    signal: new AbortController().signal,
    fetchSite: fetch,
    dataCache: {
      async read(key, data) {
        reads.push([key, data])
        const found = kept.get(key) ?? (await data.load())
        kept.set(key, found)
        return found
      },
    },
    ...more,
  }
  return { context, reads }
}

describe('cached()', () => {
  test('C8 runs once for equal arguments, and gives each caller a copy', async () => {
    let runs = 0
    const prices = cached(async (currency: string) => ({ currency, runs: ++runs }), { key: 'prices' })
    const { context } = contextOf()
    const [first, second, other] = await runWithContext(context, () =>
      Promise.all(['EUR', 'EUR', 'USD'].map((currency) => prices(currency))),
    )
    expect(first).toEqual({ currency: 'EUR', runs: expect.any(Number) })
    expect(other?.currency).toBe('USD')
    const again = await runWithContext(context, () => prices('EUR'))
    expect(again).not.toBe(second)
    expect(runs).toBeLessThanOrEqual(3)
  })

  test('C8 hands key, tags and seconds to the process', async () => {
    const { context, reads } = contextOf()
    const load = cached((_id: number) => 1, { key: 'k', tags: ['a'], revalidate: 60 })
    await runWithContext(context, () => load(7))
    expect(reads).toMatchObject([['["k",7]', { tags: ['a'], revalidateSeconds: 60 }]])
  })

  test('C8 nothing of the client reaches the function', async () => {
    const { context } = contextOf()
    for (const [name, read] of [
      ['cookies()', () => cookies().get('session')],
      ['headers()', () => headers().get('accept-language')],
    ] as const) {
      const load = cached(() => read() ?? null, { key: 'k' })
      await expect(runWithContext(context, () => load())).rejects.toThrow(`${name} was called for cached("k")`)
    }
  })

  test('C8 reports its tags, and those of the data it is made of, to the page that uses it', async () => {
    const usedTags = new Set<string>()
    const { context } = contextOf({ kind: 'static-page', usedTags })
    const inner = cached(() => 1, { key: 'inner', tags: ['a'] })
    const outer = cached(async () => (await inner()) + 1, { key: 'outer', tags: ['b'] })
    expect(await runWithContext(context, () => outer())).toBe(2)
    expect([...usedTags].toSorted()).toEqual(['a', 'b'])
    usedTags.clear()
    await runWithContext(context, () => outer())
    expect([...usedTags].toSorted()).toEqual(['a', 'b'])
  })

  test('C8 under development every call runs the function', async () => {
    const { context } = contextOf()
    delete context.dataCache
    let runs = 0
    const load = cached(() => ++runs, { key: 'k' })
    expect(await runWithContext(context, async () => [await load(), await load()])).toEqual([1, 2])
  })

  test.each([
    [{ key: '' }, 'key must be a text that is not empty'],
    [{ key: 'k', tags: [''] }, 'cached("k"): tags must be a list of texts'],
    [{ key: 'k', tags: 'a' as unknown as string[] }, 'cached("k"): tags must be a list of texts'],
    [{ key: 'k', revalidate: 0 }, 'cached("k"): revalidate=0 must be a number of seconds above 0'],
  ])('C8 refuses %j where it is declared', (options, rule) => {
    expect(() => cached(() => 1, options)).toThrow(rule)
  })

  test('C8 names itself outside of a request, and for a value that is no JSON', async () => {
    await expect(cached(() => 1, { key: 'k' })()).rejects.toThrow('cached("k") works during a request only')
    const { context } = contextOf()
    const load = cached(() => undefined, { key: 'k' })
    await expect(runWithContext(context, () => load())).rejects.toThrow('returned undefined, which is no JSON data')
  })
})
