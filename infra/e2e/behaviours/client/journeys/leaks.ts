// A tab that is left open: navigations must leave neither nodes nor listeners nor memory behind.

import type { CDPSession, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import type { JourneyTarget } from './target.ts'

/** Until everything that is loaded once is loaded, and compiled. */
const WARM_UP = 12
/** One round: to a page of static data and back, to one of the server's and back. */
const ROUND = ['/collections', 'back', '/places/sehel-amun', 'back'] as const
/** Growth of compiled code and its statistics, independent of the number of navigations. */
const HEAP_SLACK_BYTES = 1024 * 1024
/** The data of one page alone is more than this. */
const HEAP_BYTES_PER_NAVIGATION = 1024

interface Counts {
  documents: number
  nodes: number
  listeners: number
  heapBytes: number
}

interface LeakOptions {
  /** How many are measured. */
  navigations: number
  /** With motion a navigation takes as long as its image travels. */
  reducedMotion: 'reduce' | 'no-preference'
}

export function describeLeaks(
  { baseUrl, browser }: Pick<JourneyTarget, 'baseUrl' | 'browser'>,
  { navigations, reducedMotion }: LeakOptions,
): void {
  describe('a tab left open', () => {
    test(`N1 keeps no nodes, listeners or memory of ${navigations} navigations back and forth`, async () => {
      const { page, documents, faults, close } = await openPage(browser(), { reducedMotion })
      const session = await page.context().newCDPSession(page)
      await page.goto(`${baseUrl()}/`)
      await hydrated(page, 'main')
      await walk(page, WARM_UP)
      const before = await countAfterCollection(session)
      await walk(page, navigations)
      const after = await countAfterCollection(session)
      console.log(`${navigations} navigations: ${describeGrowth(before, after)}`)

      expect(documents).toHaveLength(1)
      expect(faults).toEqual([])
      expect(after.documents - before.documents).toBeLessThanOrEqual(0)
      // One node or listener kept by every second navigation would already be more.
      expect(after.nodes - before.nodes).toBeLessThan(navigations / 2)
      expect(after.listeners - before.listeners).toBeLessThan(navigations / 2)
      const allowedBytes = HEAP_SLACK_BYTES + navigations * HEAP_BYTES_PER_NAVIGATION
      expect(after.heapBytes - before.heapBytes).toBeLessThan(allowedBytes)
      await close()
    })

    test('N1 finds nodes and listeners that are kept', async () => {
      const { page, close } = await openPage(browser())
      const session = await page.context().newCDPSession(page)
      await page.goto(`${baseUrl()}/about`)
      await hydrated(page, 'main')
      const before = await countAfterCollection(session)
      await page.evaluate(() => {
        const kept = Array.from({ length: 50 }, () => document.createElement('p'))
        for (const node of kept) node.addEventListener('click', () => {})
        Object.assign(globalThis, { kept })
      })
      const after = await countAfterCollection(session)
      expect(after.nodes - before.nodes).toBeGreaterThanOrEqual(50)
      expect(after.listeners - before.listeners).toBeGreaterThanOrEqual(50)
      await close()
    })
  })
}

/** Navigates inside the page: the debugger would keep objects of each page. */
async function walk(page: Page, navigations: number): Promise<void> {
  if (navigations % ROUND.length !== 0) throw new Error(`must be a multiple of ${ROUND.length}`)
  await page.evaluate(
    async ({ round, rounds }) => {
      const frame = () => new Promise((done) => requestAnimationFrame(done))
      const until = async (isThere: () => boolean, what: string) => {
        const deadline = performance.now() + 30_000
        while (!isThere()) {
          if (performance.now() > deadline)
            throw new Error(`waited in vain for ${what}: ${location.pathname} shows ${shown()}`)
          await frame()
        }
      }
      const shown = () => document.querySelector('main h1')?.textContent
      const home = shown()
      for (let count = 0; count < rounds; count++)
        for (const step of round) {
          if (step === 'back') {
            history.back()
            await until(() => shown() === home, 'the page before')
          } else {
            document.querySelector<HTMLAnchorElement>(`main a[href="${step}"], header a[href="${step}"]`)?.click()
            await until(() => location.pathname === step && shown() !== home, step)
          }
        }
    },
    { round: ROUND, rounds: navigations / ROUND.length },
  )
}

async function countAfterCollection(session: CDPSession): Promise<Counts> {
  await session.send('Performance.enable')
  // The next collection frees the memory of finalized objects.
  for (let round = 0; round < 3; round++) await session.send('HeapProfiler.collectGarbage')
  const { documents, nodes, jsEventListeners } = await session.send('Memory.getDOMCounters')
  const { metrics } = await session.send('Performance.getMetrics')
  const heapBytes = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN
  return { documents, nodes, listeners: jsEventListeners, heapBytes }
}

function describeGrowth(before: Counts, after: Counts): string {
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(0)} KiB`
  return [
    `nodes ${before.nodes} -> ${after.nodes}`,
    `listeners ${before.listeners} -> ${after.listeners}`,
    `documents ${before.documents} -> ${after.documents}`,
    `heap ${kilobytes(before.heapBytes)} -> ${kilobytes(after.heapBytes)}`,
  ].join(', ')
}
