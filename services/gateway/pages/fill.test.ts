// The limits of fills, and what happens to the requests that wait.

import { parseEntry } from '@portico/shared/wire/page-entry.ts'
import { expect, it, vi } from 'vitest'
import type { Replica } from '../replicas/service-replicas.ts'
import type { EntryClient } from './entry-request.ts'
import { createFills, type Filled } from './fill.ts'
import { createPageMemory } from './memory.ts'
import { knownPage, type Page, pageKey } from './page-key.ts'
import { keptPage, outcomeEntry, pageEntry } from './testing/entries.ts'

type EntryResult = Awaited<ReturnType<EntryClient['request']>>

const asOf = { era: 0, generation: 0, unordered: 0 }
const feed = {
  asOf: () => asOf,
  isConfirmed: () => true,
  isCurrent: () => true,
  position: () => ({ generation: 0 }),
  revision: () => 0,
}

function setUp() {
  const requests: ((result: EntryResult) => void)[] = []
  const log = { error: vi.fn() }
  const clock = { now: 0 }
  const memory = createPageMemory({ limitBytes: 160_000 })
  const replica = { name: 'renderer' } as Replica
  const fills = createFills({
    build: 'build1',
    feed,
    memory,
    client: { request: () => new Promise((done) => requests.push(done)) },
    homeOf: (_page, except) => (except ? undefined : replica),
    now: () => clock.now,
    log,
  })
  const need = (path: string, received: Filled[] = []) => {
    fills.need(path, knownPage({ pattern: path, params: {} }), {
      waiter: (filled) => received.push(filled),
      isTrusted: true,
    })
    return received
  }
  return { requests, log, clock, memory, fills, need }
}

it('C3 runs 64 fills at a time; requests for further pages pass to the proxy', async () => {
  const { requests, need } = setUp()
  for (let index = 0; index < 64; index++) need(`/page-${index}`)
  await vi.waitFor(() => expect(requests.length).toBe(64))
  expect(need('/other')).toEqual([{ kind: 'pass' }])
  const joined = need('/page-0')
  expect(joined).toEqual([])
  requests[0]!({ kind: 'entry', entry: parseEntry(pageEntry('page'))! })
  await vi.waitFor(() => expect(joined.length).toBe(1))
  expect(need('/other')).toEqual([])
})

it('C3 refreshes pages while fills of pages that clients invent take as long as they can', async () => {
  const { requests, fills } = setUp()
  const invented = (slug: string): Page => ({
    ...knownPage({ pattern: '/posts/[slug]', params: { slug } }),
    isFixed: false,
  })
  const passed: Filled[] = []
  for (let index = 0; index < 100; index++)
    fills.need(`${index}`, invented(`${index}`), { waiter: (filled) => passed.push(filled), isTrusted: true })
  await vi.waitFor(() => expect(requests.length).toBe(48))
  expect(passed.length).toBe(52)
  fills.need('held', invented('held'), { held: keptPage(), isTrusted: true })
  fills.need('/about', knownPage({ pattern: '/about', params: {} }), { isTrusted: true })
  await vi.waitFor(() => expect(requests.length).toBe(50))
})

it('C3 lets 1000 requests wait; further ones pass to the proxy', async () => {
  const { requests, need } = setUp()
  const received: Filled[] = []
  for (let index = 0; index < 1000; index++) need('/page', received)
  expect(need('/page')).toEqual([{ kind: 'pass' }])
  await vi.waitFor(() => expect(requests.length).toBe(1))
  requests[0]!({ kind: 'entry', entry: parseEntry(pageEntry('page'))! })
  await vi.waitFor(() => expect(received.length).toBe(1000))
  expect(need('/page')).toEqual([])
})

it('C3 leaves no request without a response when an entry cannot be read, and reports the error', async () => {
  const { requests, log, fills, need } = setUp()
  const received = need('/posts/[id]')
  await vi.waitFor(() => expect(requests.length).toBe(1))
  requests[0]!({ kind: 'entry', entry: parseEntry(pageEntry('page'))! })
  await vi.waitFor(() => expect(received).toEqual([{ kind: 'pass' }]))
  expect(log.error).toHaveBeenCalledOnce()
  expect([fills.stateOf('/posts/[id]'), fills.failureOf('/posts/[id]')]).toEqual(['paused', { kind: 'pass' }])
})

it.each([
  ['the memory', { kind: 'entry', entry: parseEntry(pageEntry('x'.repeat(10_000)))! }],
  ['a fill', { kind: 'fault', fault: 'too-large', isUnsent: false, error: new Error('too large') }],
  ['the wire format', { kind: 'entry', entry: parseEntry(outcomeEntry({ kind: 'too-large' }))! }],
] satisfies [string, EntryResult][])(
  'C7 lets the proxy respond for a minute with a page that is too large for %s, and drops what the page was',
  async (_name, result) => {
    const { requests, clock, memory, fills, need } = setUp()
    const page = knownPage({ pattern: '/about', params: {} })
    const key = pageKey('build1.x', page)
    const held = keptPage(key)
    memory.set(held, true)
    const received: Filled[] = []
    fills.need(key, page, { held, waiter: (filled) => received.push(filled), isTrusted: true })
    await vi.waitFor(() => expect(requests.length).toBe(1))
    requests[0]!(result)
    await vi.waitFor(() => expect(received.length).toBe(1))
    expect([memory.get(key), fills.stateOf(key), fills.failureOf(key)]).toEqual([undefined, 'paused', { kind: 'pass' }])
    clock.now = 60_001
    expect(fills.stateOf(key)).toBe('idle')
    need('/other')
    await vi.waitFor(() => expect(requests.length).toBe(2))
  },
)
