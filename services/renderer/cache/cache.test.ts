// The page cache over a feed: what a change drops, and the bound.

import { createFeed } from '@portico/shared/kit/feed/feed.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { messageOf } from '@portico/shared/kit/testing/changes.ts'
import type { Change } from '@portico/shared/wire/invalidation.ts'
import { expect, test } from 'vitest'
import { type CachedPage, type CacheEntry, createMemoryPageCache } from './cache.ts'

function setUp(limitBytes = 1024 * 1024) {
  const feed = createFeed({ log: createLog('test', 'silent') })
  const cache = createMemoryPageCache({ limitBytes, feed })
  return { ...cache, feed, change: (change: Partial<Change>) => feed.apply(messageOf(change)) }
}

function entryOf(text: string, tags: string[] = []): CacheEntry {
  return { outcome: pageOf(text), storedAt: 0, freshForMs: undefined, tags }
}

function pageOf(text: string): CachedPage {
  const html = Buffer.from(`<p>${text}</p>`)
  return {
    kind: 'page',
    html,
    htmlEtag: `"h-${text}"`,
    data: Buffer.from(`{"text":"${text}"}`),
    dataEtag: `"d-${text}"`,
  }
}

test('D5 returns HTML and data of one page as one entry', () => {
  const { get, set, feed } = setUp()
  expect(get('k')).toBeUndefined()
  const entry: CacheEntry = { outcome: pageOf('\u00e9 \u2028'), storedAt: 12, freshForMs: 34, tags: ['a', 'b'] }
  expect(set('k', '/a', entry, feed.asOf())).toBe(true)
  expect(get('k')).toEqual(entry)
  expect(get('K')).toBeUndefined()
})

test('D5 keeps redirects and missing pages', () => {
  const { get, set, feed } = setUp()
  const outcomes = [{ kind: 'not-found' }, { kind: 'redirect', location: '/x', status: 308 }] as const
  for (const outcome of outcomes) {
    set('k', '/a', { ...entryOf(''), outcome }, feed.asOf())
    expect(get('k')?.outcome).toEqual(outcome)
  }
})

test('D6 drops the entries of a path, and no others', () => {
  const { get, set, feed, change } = setUp()
  set('a', '/a', entryOf('a'), feed.asOf())
  set('ab', '/a/b', entryOf('ab'), feed.asOf())
  change({ paths: ['/a'] })
  expect(get('a')).toBeUndefined()
  expect(get('ab')).toEqual(entryOf('ab'))
})

test('D6 drops the entries of a tag, and no others', () => {
  const { get, set, feed, change } = setUp()
  set('a', '/a', entryOf('a', ['x', 'y']), feed.asOf())
  set('b', '/b', entryOf('b', ['z']), feed.asOf())
  set('y', 'y', entryOf('y'), feed.asOf())
  change({ tags: ['y'] })
  expect(get('a')).toBeUndefined()
  expect(get('b')).toEqual(entryOf('b', ['z']))
  expect(get('y')).toEqual(entryOf('y'))
})

test('D6 refuses a render from before a revalidation, and stores a render from after it', () => {
  const { get, set, feed, change } = setUp()
  const before = feed.asOf()
  change({ paths: ['/a'], tags: ['t'] })
  expect(set('a', '/a', entryOf('old'), before)).toBe(false)
  expect(set('b', '/b', entryOf('old', ['t']), before)).toBe(false)
  expect([get('a'), get('b')]).toEqual([undefined, undefined])
  // A revalidation of other pages does not discard the render.
  expect(set('c', '/c', entryOf('kept'), before)).toBe(true)
  expect(set('a', '/a', entryOf('new'), feed.asOf())).toBe(true)
  expect(get('a')).toEqual(entryOf('new'))
})

test.each(['/tags/a+b & c/caf\u00e9', '/tags/a%2Bb%20%26%20c/caf%C3%A9', '/tags/a+b%20&%20c/caf\u00e9/'])(
  'D6 drops a page by its path %s, as an address bar shows it or percent-encoded',
  (path) => {
    const { get, set, feed, change } = setUp()
    set('k', '/tags/a%2Bb%20%26%20c/caf%C3%A9', entryOf('k'), feed.asOf())
    change({ paths: [path] })
    expect(get('k')).toBeUndefined()
    change({ paths: ['/%', '', '/'], tags: [''] })
  },
)

test('D6 drops everything when the changes are unknown, and refuses renders from before', () => {
  const { get, set, feed, change } = setUp()
  const before = feed.asOf()
  set('a', '/a', entryOf('a', ['t']), before)
  change({ everything: true })
  expect(get('a')).toBeUndefined()
  expect(set('b', '/b', entryOf('old'), before)).toBe(false)
  expect(set('a', '/a', entryOf('new'), feed.asOf())).toBe(true)
  expect(get('a')).toEqual(entryOf('new'))
})

test('D5 is bounded by bytes and removes the least recently used pages first', () => {
  const { get, set, feed } = setUp(100_000)
  const page: CachedPage = { ...pageOf(''), html: Buffer.alloc(20_000), data: Buffer.alloc(0) }
  for (let at = 0; at < 50; at++) {
    set(String(at), '/', { ...entryOf(''), outcome: page }, feed.asOf())
    get('0')
  }
  const kept = Array.from({ length: 50 }, (_, at) => get(String(at)))
  expect(kept.flatMap((entry, at) => (entry ? [at] : []))).toEqual([0, 47, 48, 49])
})
