import { describe, expect, test } from 'vitest'
import { newest } from '../cache/cache.ts'
import { createPurgeRules } from '../cache/purges.ts'
import type { Capacity } from '../make/make.ts'
import type { Held, Variant, VariantMeta } from '../variant/variant.ts'
import { decide, type Facts } from './decide.ts'

type Decision = ReturnType<typeof decide>

const NOW = 1_000_000
const purges = createPurgeRules()
purges.add({ number: 5, target: { kind: 'source', value: '/purged.jpg' } })
purges.add({ number: 6, target: { kind: 'prefix', value: '/old/' } })
purges.add({ number: 7, target: { kind: 'tag', value: 'shop' } })

function entry(etag: string, changes: Partial<VariantMeta> = {}): Variant {
  const meta: VariantMeta = {
    key: 'k',
    kind: 'image',
    source: '/a.jpg',
    tags: [],
    type: 'image/webp',
    etag,
    storedAt: NOW - 100,
    freshUntil: NOW + 100,
    generation: 4,
    passThrough: false,
    validators: {},
    ...changes,
  }
  return { meta, body: Buffer.from(etag) }
}

const fresh = entry('fresh')
const stale = entry('stale', { storedAt: NOW - 500, freshUntil: NOW })
const olderStale = entry('older', { storedAt: NOW - 900, freshUntil: NOW - 400 })
const purged = entry('purged', { source: '/purged.jpg', storedAt: NOW - 1 })
const purgedByPrefix = entry('prefix', { source: '/old/b.jpg' })
const purgedByTag = entry('tag', { tags: ['news', 'shop'] })
const newerThanPurge = entry('made after the purge', { source: '/purged.jpg', generation: 5 })
const failure = entry('failure', { kind: 'failure', failure: { status: 502, text: 'failed' } })
const refusal = entry('refusal', { kind: 'failure', failure: { status: 400, text: 'refused' } })
const expiredFailure = entry('expired', { kind: 'failure', freshUntil: NOW })
const purgedFailure = entry('purged failure', { kind: 'failure', source: '/purged.jpg' })
const wide = entry('wide')

const held = (variant?: Variant, failed?: Variant): Held => ({ variant, failure: failed })
const EMPTY = held()
const FREE: Capacity = { kind: 'free' }
const FULL: Capacity = { kind: 'full', retryAfterSeconds: 3, rejection: 'queue-full' }

function factsWith(changes: Partial<Facts>): Facts {
  const capacity = () => FREE
  const base = { memory: EMPTY, store: undefined, isStoreShared: true, workClass: 'viewer', wider: undefined } as const
  return { ...base, purges, now: NOW, capacity, ...changes }
}
const capacities = (viewer: Capacity, refresh = viewer) => ({
  capacity: (workClass: string) => (workClass === 'refresh' ? refresh : viewer),
})
const hit = (variant: Variant): Decision => ({ kind: 'serve', verdict: 'HIT', variant })
const old = (variant: Variant): Decision => ({ kind: 'serve', verdict: 'STALE', variant })
const READ_STORE: Decision = { kind: 'read', from: 'store' }
const MAKE: Decision = { kind: 'make', begins: true }
const refused = (variant: Variant): Decision => ({ kind: 'refuse', reason: 'failure', failure: variant })

test.each<[title: string, Partial<Facts>, Decision]>([
  ['I5 serves a fresh variant of the memory without reading the store', { memory: held(fresh) }, hit(fresh)],
  ['I5 serves a fresh variant although a failure is remembered', { memory: held(fresh, failure) }, hit(fresh)],
  ['I5 reads the store when the memory holds nothing', {}, READ_STORE],
  ['I5 reads an unshared store when the memory holds nothing', { isStoreShared: false }, READ_STORE],
  ['I5 reads a shared store, which may hold a refreshed variant', { memory: held(stale) }, READ_STORE],
  [
    'I6 reads a shared store, which may hold a variant after a failure',
    { memory: held(undefined, failure) },
    READ_STORE,
  ],
  ['I5 serves a fresh variant of the store', { memory: held(stale), store: held(fresh) }, hit(fresh)],
  [
    'I5 refreshes the newer of two old variants, here of the store',
    { memory: held(olderStale), store: held(stale) },
    { kind: 'refresh', variant: stale },
  ],
  [
    'I5 refreshes the newer of two old variants, here of the memory',
    { memory: held(stale), store: held(olderStale) },
    { kind: 'refresh', variant: stale },
  ],
  [
    'I5 refreshes an old variant without reading an unshared store',
    { memory: held(stale), isStoreShared: false },
    { kind: 'refresh', variant: stale },
  ],
  [
    'I5 serves an old variant while a failure is remembered',
    { memory: held(stale), store: held(undefined, failure) },
    old(stale),
  ],
  [
    'I5 serves an old variant while its refresh is running',
    { memory: held(stale), store: EMPTY, ...capacities(FREE, { kind: 'running' }) },
    old(stale),
  ],
  [
    'I5 serves an old variant while its refresh is paused',
    { memory: held(stale), store: EMPTY, ...capacities(FREE, { kind: 'paused' }) },
    old(stale),
  ],
  [
    'I7 serves an old variant and pauses its refresh when the queue is full for refreshes',
    { memory: held(stale), store: EMPTY, ...capacities(FREE, FULL) },
    { kind: 'serve', verdict: 'STALE', variant: stale, pausesRefresh: true },
  ],
  [
    'I5 X15 refuses with the later refusal of a rule, which no old variant covers',
    { memory: held(stale), store: held(stale, refusal) },
    refused(refusal),
  ],
  ['I5 serves a variant that was made after a refusal', { memory: held(fresh, refusal) }, hit(fresh)],
  [
    'I5 refreshes an old variant again after the failure has expired',
    { memory: held(stale, expiredFailure), store: EMPTY },
    { kind: 'refresh', variant: stale },
  ],
  [
    'I6 refuses with the failure of the memory',
    { memory: held(undefined, failure), isStoreShared: false },
    refused(failure),
  ],
  ['I6 refuses with the failure of the store', { store: held(undefined, failure) }, refused(failure)],
  ['I6 makes the variant after the failure has expired', { store: held(undefined, expiredFailure) }, MAKE],
  ['I5 makes a variant that no cache holds', { store: EMPTY }, MAKE],
  ['I6 joins running work', { store: EMPTY, ...capacities({ kind: 'running' }) }, { ...MAKE, begins: false }],
  [
    'I7 searches a wider variant when the queue is full',
    { store: EMPTY, ...capacities(FULL, FREE) },
    { kind: 'read', from: 'wider' },
  ],
  [
    'I7 serves the wider variant when the queue is full',
    { store: EMPTY, wider: { variant: wide }, ...capacities(FULL) },
    { kind: 'serve', verdict: 'FALLBACK', variant: wide, rejection: 'queue-full' },
  ],
  [
    'I7 I11 refuses without a wider variant when the queue is full',
    { store: EMPTY, wider: { variant: undefined }, ...capacities(FULL) },
    { kind: 'refuse', reason: 'full', retryAfterSeconds: 3, rejection: 'queue-full' },
  ],
  [
    'I7 counts a prefetch in the class of the prefetch',
    { store: EMPTY, workClass: 'warm-up', capacity: (workClass) => (workClass === 'warm-up' ? FULL : FREE) },
    { kind: 'read', from: 'wider' },
  ],
  ['I9 makes a variant that was purged by source', { memory: held(purged), store: held(purged) }, MAKE],
  ['I9 makes a variant that was purged by prefix', { memory: held(purgedByPrefix), store: EMPTY }, MAKE],
  ['I9 makes a variant that was purged by tag', { store: held(purgedByTag) }, MAKE],
  [
    'I9 reads an unshared store when the variant of the memory was purged',
    { memory: held(purged), isStoreShared: false },
    READ_STORE,
  ],
  [
    'I9 serves the unpurged variant, although the purged one was stored later',
    { memory: held(newerThanPurge), store: held(purged) },
    hit(newerThanPurge),
  ],
  ['I9 makes a variant whose failure was purged', { store: held(undefined, purgedFailure) }, MAKE],
  [
    'I9 does not hide the failure of the store behind a purged failure',
    { memory: held(undefined, purgedFailure), store: held(undefined, failure) },
    refused(failure),
  ],
])('%s', (_title, changes, decision) => {
  expect(decide(factsWith(changes))).toEqual(decision)
})

test('I7 a hit does not count the running work', () => {
  const capacity = () => {
    throw new Error('counted')
  }
  expect(decide(factsWith({ memory: held(fresh), capacity }))).toEqual(hit(fresh))
})

describe('every combination of the facts', () => {
  const variants = [undefined, fresh, stale, purged]
  const failures = [undefined, failure, expiredFailure, purgedFailure]
  const entries = variants.flatMap((variant) => failures.map((failed) => held(variant, failed)))
  const kinds: Capacity[] = [FREE, { kind: 'running' }, { kind: 'paused' }, FULL]
  const all = entries.flatMap((memory) =>
    [undefined, ...entries].flatMap((store) =>
      [true, false].flatMap((isStoreShared) =>
        kinds.flatMap((capacity) =>
          [undefined, { variant: undefined }, { variant: wide }].map((wider) =>
            factsWith({ memory, store, isStoreShared, wider, capacity: () => capacity }),
          ),
        ),
      ),
    ),
  )

  test('I9 never serves or refuses with a purged entry', () => {
    const covered = new Set<unknown>([purged, purgedFailure])
    const wrong = all.filter((facts) => Object.values(decide(facts)).some((value) => covered.has(value)))
    expect(wrong).toEqual([])
  })

  test('I5 I7 makes and refuses nothing for which a usable variant is cached', () => {
    for (const facts of all)
      if (newest(facts).variant) expect(['serve', 'refresh', 'read']).toContain(decide(facts).kind)
  })

  test('I5 a hit is fresh, a refresh is not', () => {
    for (const facts of all) {
      const decision = decide(facts)
      if (decision.kind === 'serve' && decision.verdict === 'HIT') expect(decision.variant).toBe(fresh)
      if (decision.kind === 'refresh') expect(decision.variant).toBe(stale)
    }
  })

  test('I7 ends after each missing fact was read once', () => {
    for (const facts of all) {
      const first = decide(facts)
      if (first.kind !== 'read') continue
      expect(facts[first.from]).toBeUndefined()
      const second = decide({ ...facts, [first.from]: first.from === 'store' ? EMPTY : { variant: undefined } })
      expect(second).not.toEqual(first)
    }
  })
})
