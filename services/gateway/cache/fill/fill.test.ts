// The limits of fills, and what happens to the requests that wait.

import { parseEntry } from '@portico/shared/wire/page-entry.ts'
import { expect, it, vi } from 'vitest'
import type { Replica } from '../../replicas/replicas.ts'
import { createPageMemory } from '../memory.ts'
import { knownPage, type Page } from '../page-key.ts'
import { keptPage, pageEntry } from '../testing/entries.ts'
import type { EntryResult } from './entry-request.ts'
import { createFills, type Filled } from './fill.ts'

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
  const replica = { name: 'renderer' } as Replica
  const fills = createFills({
    build: 'build1',
    feed,
    memory: createPageMemory({ limitBytes: 1_000_000 }),
    client: { request: () => new Promise((done) => requests.push(done)) },
    homeOf: (_page, except) => (except ? undefined : replica),
    now: () => 0,
    log,
  })
  const need = (path: string, received: Filled[] = []) => {
    fills.need(path, knownPage({ pattern: path, params: {} }), {
      waiter: (filled) => received.push(filled),
      isTrusted: true,
    })
    return received
  }
  return { requests, log, fills, need }
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
