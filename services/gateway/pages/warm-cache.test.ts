// The warm-up of a new gateway.

import { createLog } from '@portico/shared/kit/observe/log.ts'
import type { KnownPaths } from '@portico/shared/wire/page-entry.ts'
import { describe, expect, it } from 'vitest'
import type { Replica } from '../replicas/service-replicas.ts'
import type { Waiter } from './fill.ts'
import type { PageCache } from './page-cache.ts'
import type { Page } from './page-key.ts'
import { warmPageCache } from './warm-cache.ts'

type Found = ReturnType<PageCache['find']>

const log = createLog('test', 'silent')
const pathsOf = (first: number, end: number): KnownPaths => ({
  version: 'build1.x',
  paths: Array.from({ length: end - first }, (_, index) => ({
    pattern: '/p/[id]',
    params: { id: `${first + index}` },
  })),
})

/** Fills that end when the test ends them. */
function setUp(lists: (KnownPaths | undefined)[]) {
  const waiting: { page: Page; waiter: Waiter }[] = []
  const seen: Page[] = []
  const cache = {
    find(page: Page): Found {
      seen.push(page)
      return { kind: 'wait', wait: (waiter) => void waiting.push({ page, waiter }) }
    },
  }
  const replicas = lists.map((_, index) => ({ name: `${index}` }) as Replica)
  const client = { paths: async ({ name }: Replica) => lists[Number(name)] }
  const endOne = () => waiting.shift()?.waiter({ kind: 'pass' })
  return { waiting, seen, endOne, deps: { cache, client, renderers: () => replicas, log } }
}

describe('the warm-up', () => {
  it('C1 fills each page that a renderer knows once, eight at a time', async () => {
    const { waiting, seen, endOne, deps } = setUp([pathsOf(0, 20), undefined, pathsOf(10, 30)])
    const warmed = warmPageCache({ ...deps, waitedMs: 60_000 })
    await expect.poll(() => waiting.length).toBe(8)
    while (seen.length < 30 || waiting.length > 0) {
      expect(waiting.length).toBeLessThanOrEqual(8)
      endOne()
      await Promise.resolve()
    }
    await warmed
    expect(new Set(seen.map(({ name }) => name)).size).toBe(30)
    expect(seen.every(({ isFixed }) => isFixed)).toBe(true)
  })

  it('C1 fills at most 200 pages', async () => {
    const { waiting, seen, endOne, deps } = setUp([pathsOf(0, 150), pathsOf(150, 300)])
    const warmed = warmPageCache({ ...deps, waitedMs: 60_000 })
    await expect.poll(() => waiting.length).toBe(8)
    while (waiting.length > 0) {
      endOne()
      await new Promise((done) => setImmediate(done))
    }
    await warmed
    expect(seen.length).toBe(200)
  })

  it('C1 does not wait for a slow renderer, and continues behind with two fills at a time', async () => {
    const { waiting, seen, endOne, deps } = setUp([pathsOf(0, 20)])
    await warmPageCache({ ...deps, waitedMs: 10 })
    await expect.poll(() => waiting.length).toBe(8)
    for (let ended = 0; ended < 8; ended++) endOne()
    await expect.poll(() => waiting.length).toBe(2)
    while (waiting.length > 0) {
      endOne()
      await new Promise((done) => setImmediate(done))
    }
    expect(seen.length).toBe(20)
  })
})
