// The contract of every page cache. Each implementation runs this suite.

import { describe, expect, test } from 'vitest'
import type { CachedPage, CacheEntry, PageCache } from '../cache/page-cache.ts'

export interface CacheUnderTest {
  cache: PageCache
  stop?: () => Promise<void>
}

function entryOf(text: string, tags: string[] = []): CacheEntry {
  return { outcome: pageOf(text), storedAt: 0, freshForMs: undefined, tags }
}

function pageOf(text: string): CachedPage {
  return {
    kind: 'page',
    html: Buffer.from(`<p>${text}</p>`),
    htmlEtag: `"html-${text}"`,
    data: Buffer.from(JSON.stringify({ text })),
    dataEtag: `"data-${text}"`,
  }
}

/** `start` creates an empty cache with room for at least a mebibyte. */
export function describePageCache(name: string, start: () => Promise<CacheUnderTest>): void {
  const withCache = async (run: (cache: PageCache) => Promise<void>) => {
    const { cache, stop } = await start()
    try {
      await run(cache)
    } finally {
      await stop?.()
    }
  }

  describe(`page cache: ${name}`, () => {
    test('D5 returns HTML and data of one page as one entry', () =>
      withCache(async (cache) => {
        expect(await cache.get('k')).toBeUndefined()
        const entry: CacheEntry = { outcome: pageOf('\u00e9 \u2028'), storedAt: 12, freshForMs: 34, tags: ['a', 'b'] }
        expect(await cache.set('k', '/a', entry, cache.generation())).toBe(true)
        expect(await cache.get('k')).toEqual(entry)
        expect(await cache.get('K')).toBeUndefined()
      }))

    test('D5 keeps redirects and missing pages', () =>
      withCache(async (cache) => {
        for (const outcome of [
          { kind: 'not-found' },
          { kind: 'redirect', location: '/x', status: 308 },
        ] satisfies CacheEntry['outcome'][]) {
          await cache.set('k', '/a', { outcome, storedAt: 0, freshForMs: undefined, tags: [] }, cache.generation())
          expect((await cache.get('k'))?.outcome).toEqual(outcome)
        }
      }))

    test('D6 drops the entries of a path, and no others', () =>
      withCache(async (cache) => {
        await cache.set('a', '/a', entryOf('a'), cache.generation())
        await cache.set('ab', '/a/b', entryOf('ab'), cache.generation())
        await cache.revalidate({ paths: ['/a'], tags: [] })
        expect(await cache.get('a')).toBeUndefined()
        expect(await cache.get('ab')).toEqual(entryOf('ab'))
      }))

    test('D6 drops the entries of a tag, and no others', () =>
      withCache(async (cache) => {
        await cache.set('a', '/a', entryOf('a', ['x', 'y']), cache.generation())
        await cache.set('b', '/b', entryOf('b', ['z']), cache.generation())
        await cache.set('y', 'y', entryOf('y'), cache.generation())
        await cache.revalidate({ paths: [], tags: ['y'] })
        expect(await cache.get('a')).toBeUndefined()
        expect(await cache.get('b')).toEqual(entryOf('b', ['z']))
        expect(await cache.get('y')).toEqual(entryOf('y'))
      }))

    test('D6 refuses a render from before a revalidation, and stores a render from after it', () =>
      withCache(async (cache) => {
        const before = cache.generation()
        const after = await cache.revalidate({ paths: ['/a'], tags: ['t'] })
        expect(after).toBeGreaterThan(before)
        expect(cache.generation()).toBe(after)
        expect(await cache.set('a', '/a', entryOf('old'), before)).toBe(false)
        expect(await cache.set('b', '/b', entryOf('old', ['t']), before)).toBe(false)
        expect([await cache.get('a'), await cache.get('b')]).toEqual([undefined, undefined])
        // A revalidation of other pages does not discard the render.
        expect(await cache.set('c', '/c', entryOf('kept'), before)).toBe(true)
        expect(await cache.set('a', '/a', entryOf('new'), after)).toBe(true)
        expect(await cache.get('a')).toEqual(entryOf('new'))
      }))

    test('D6 accepts a path as an address bar shows it or percent-encoded', () =>
      withCache(async (cache) => {
        for (const name of [
          '/tags/a+b & c/caf\u00e9',
          '/tags/a%2Bb%20%26%20c/caf%C3%A9',
          '/tags/a+b%20&%20c/caf\u00e9/',
        ]) {
          await cache.set('k', '/tags/a%2Bb%20%26%20c/caf%C3%A9', entryOf('k'), cache.generation())
          await cache.revalidate({ paths: [name], tags: [] })
          expect(await cache.get('k'), name).toBeUndefined()
        }
        await cache.revalidate({ paths: ['/%', '', '/'], tags: [''] })
      }))

    test('D6 drops everything when the changes are unknown, and refuses renders from before', () =>
      withCache(async (cache) => {
        const before = cache.generation()
        await cache.set('a', '/a', entryOf('a', ['t']), before)
        await cache.revalidate({ paths: [], tags: [], everything: true })
        expect(await cache.get('a')).toBeUndefined()
        expect(await cache.set('b', '/b', entryOf('old'), before)).toBe(false)
        expect(await cache.set('a', '/a', entryOf('new'), cache.generation())).toBe(true)
        expect(await cache.get('a')).toEqual(entryOf('new'))
      }))

    test('D6 remembers any number of revalidations', () =>
      withCache(async (cache) => {
        const before = cache.generation()
        await cache.revalidate({ paths: ['/first'], tags: ['first'] })
        for (let at = 0; at < 25; at++)
          await cache.revalidate({
            paths: Array.from({ length: 1000 }, (_, n) => `/${at}/${n}`),
            tags: Array.from({ length: 1000 }, (_, n) => `${at}-${n}`),
          })
        expect(await cache.set('a', '/first', entryOf('old'), before)).toBe(false)
        expect(await cache.set('b', '/b', entryOf('old', ['first']), before)).toBe(false)
        expect(await cache.set('c', '/first', entryOf('new', ['first']), cache.generation())).toBe(true)
      }))
  })
}
