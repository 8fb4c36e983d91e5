// 10 000 requests for pages with deferred values, half of which disconnect at a random time: no rejection may stay
// without a handler, and no work may stay open.

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openResponse } from '../testing/open-response.ts'
import { type SiteImports, testSite } from '../testing/site.ts'
import { rendererForTests, startRenderer, type TestRenderer } from '../testing/start-renderer.ts'

const REQUESTS = 10_000
const AT_A_TIME = 50
const LONGEST_MS = 20

const under = rendererForTests()
const stray: unknown[] = []
const note = (error: unknown) => stray.push(error)
let renderer: TestRenderer
let open = 0

beforeAll(async () => {
  process.on('unhandledRejection', note)
  renderer = await startRenderer(under.site, { dataTimeoutMs: 5 * LONGEST_MS })
  renderer.actions.respond = (_request, response) => {
    setTimeout(() => response.end('fetched'), Math.random() * LONGEST_MS)
  }
})
afterAll(async () => {
  process.off('unhandledRejection', note)
  await renderer.stop()
})

/** A value that settles at a random time in a random way; the work that it stands for is counted while it is open. */
async function value({ fetch, notFound, redirect }: SiteImports, depth = 0): Promise<unknown> {
  open++
  try {
    await pause(Math.random() * LONGEST_MS)
    switch (Math.floor(Math.random() * 8)) {
      case 0:
        throw new Error('a failure of the site')
      case 1:
        return notFound()
      case 2:
        return redirect('/about')
      case 3:
        return (await fetch('/api/x')).text()
      case 4:
        return depth < 3 ? { nested: value({ fetch, notFound, redirect } as SiteImports, depth + 1) } : 'deep'
      case 5:
        // Longer than the time limit.
        if (Math.random() < 0.02) await pause(10 * LONGEST_MS)
        return 10n
      default:
        return { text: 'x'.repeat(Math.random() * 50_000) }
    }
  } finally {
    open--
  }
}

test(`D2 W2 ${REQUESTS} requests with random disconnections leave no rejection without a handler`, async () => {
  testSite.data.random = (_context, imports) => ({
    props: { early: 'E', late: { a: value(imports), b: value(imports), c: Promise.reject(new Error('immediately')) } },
  })
  const { buildId } = renderer.manifest
  const counts = { complete: 0, left: 0 }
  let sent = 0
  const client = async () => {
    while (sent < REQUESTS) {
      const path = sent++ % 2 === 0 ? '/deferred/random' : `/_portico/data/${buildId}/deferred/random.json`
      const { seen, leave } = openResponse(renderer.port, path)
      const leavesAt = Math.random() < 0.5 ? performance.now() + Math.random() * LONGEST_MS : Number.POSITIVE_INFINITY
      while (!seen.ended && performance.now() < leavesAt) await pause(1)
      if (seen.ended) counts.complete++
      else {
        leave()
        counts.left++
      }
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, client))
  expect(counts.complete).toBeGreaterThan(REQUESTS / 4)
  expect(counts.left).toBeGreaterThan(REQUESTS / 10)
  await expect.poll(() => open, { timeout: 10_000 }).toBe(0)
  expect(stray).toEqual([])
}, 600_000)
