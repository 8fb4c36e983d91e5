// Nothing on a page moves by itself: cumulative layout shift 0, with images and typefaces that come late.

import type { Browser } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import { ALL_PAGES_TIMEOUT_MS, type JourneyTarget, lookedAt, shareOf } from './target.ts'

const WIDTHS = [390, 1440] as const

interface Shift {
  value: number
  /** What moved. */
  sources: string[]
}

export function describeSteadiness(target: JourneyTarget): void {
  const { baseUrl, browser } = target
  describe('steadiness', () => {
    for (const [at, width] of WIDTHS.entries())
      test(
        `I10 N7 moves nothing on any page by itself, ${width} px wide`,
        async () => {
          const faults: string[] = []
          for (const path of shareOf(lookedAt(target), target, at, WIDTHS.length)) {
            const shifts = await shiftsOf(browser(), baseUrl() + path, width)
            faults.push(...shifts.map(({ value, sources }) => `${path}: ${value.toFixed(4)} by ${sources.join(', ')}`))
          }
          expect(lookedAt(target).length).toBeGreaterThan(5)
          expect(faults).toEqual([])
        },
        ALL_PAGES_TIMEOUT_MS,
      )

    test('I10 sees a shift where there is one', async () => {
      const page = '<!doctype html><title>x</title><div><p>grows</p></div><p>moves</p>'
      const shifts = await shiftsOf(browser(), `data:text/html,${encodeURIComponent(page)}`, 390, async (watched) => {
        await watched.waitForTimeout(100)
        await watched.evaluate(() => {
          document.querySelector('div')!.style.height = '300px'
        })
      })
      expect(shifts.map(({ sources }) => sources)).toEqual([['p']])
    })
  })
}

type WatchedPage = Awaited<ReturnType<typeof openPage>>['page']

/** The shifts of a first visit: nothing in the caches, from the first paint until everything has come. */
async function shiftsOf(
  browser: Browser,
  url: string,
  width: number,
  meanwhile: (page: WatchedPage) => Promise<void> = showWhole,
): Promise<Shift[]> {
  const { page, close } = await openPage(browser, { viewport: { width, height: 900 } })
  await page.addInitScript(watchShifts)
  await page.goto(url)
  await meanwhile(page)
  // Entries are handed over after the frame that they are of.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))))
  const shifts = await page.evaluate(() => (globalThis as { shifts?: Shift[] }).shifts ?? [])
  await close()
  return shifts
}

/** Runs in the page, before everything else. */
function watchShifts(): void {
  interface LayoutShift extends PerformanceEntry {
    value: number
    hadRecentInput: boolean
    sources: { node: Node | null }[]
  }
  const shifts: Shift[] = []
  Object.assign(globalThis, { shifts })
  const nameOf = (node: Node | null) => {
    const element = node instanceof Element ? node : node?.parentElement
    return element ? element.tagName.toLowerCase() + (element.className && `.${element.className}`) : 'something'
  }
  new PerformanceObserver((list) => {
    // The browser's own kind of entry, which TypeScript's library does not know.
    for (const entry of list.getEntries() as LayoutShift[])
      if (!entry.hadRecentInput)
        shifts.push({ value: entry.value, sources: entry.sources.map(({ node }) => nameOf(node)) })
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Scrolls to the end, so that late images come, too. */
async function showWhole(page: WatchedPage): Promise<void> {
  await hydrated(page, 'main')
  await page.evaluate(async () => {
    await document.fonts.ready
    for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight) {
      scrollTo({ top, behavior: 'instant' })
      await new Promise((done) => setTimeout(done, 50))
    }
  })
}
