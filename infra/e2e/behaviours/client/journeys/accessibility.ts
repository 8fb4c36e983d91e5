// Every page without a fault that axe-core can find, in light and dark, on a wide window and on a phone.

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import { ALL_PAGES_TIMEOUT_MS, type JourneyTarget, lookedAt, shareOf } from './target.ts'

/** Windows that lay pages out differently; each scheme is seen on one of them. */
const VIEWS = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 390 },
] as const

export function describeAccessibility(target: JourneyTarget): void {
  const { baseUrl, browser } = target
  describe('accessibility', () => {
    for (const [at, { colorScheme, width }] of VIEWS.entries())
      test(
        `N3 shows no page with a fault that axe-core finds, ${colorScheme} and ${width} px wide`,
        async () => {
          const viewport = { width, height: 900 }
          const { page, close } = await openPage(browser(), { viewport, colorScheme, reducedMotion: 'reduce' })
          const faults: string[] = []
          for (const path of shareOf(lookedAt(target), target, at, VIEWS.length)) {
            // Images may arrive later: their texts are in the document.
            await page.goto(baseUrl() + path, { waitUntil: 'domcontentloaded' })
            await hydrated(page, 'main')
            faults.push(...(await faultsOf(page)).map((fault) => `${path}: ${fault}`))
          }
          expect(lookedAt(target).length).toBeGreaterThan(5)
          expect(faults).toEqual([])
          await close()
        },
        ALL_PAGES_TIMEOUT_MS,
      )

    testAtLength('A3 shows no fault that axe-core finds in a form whose fields were refused', async () => {
      const { page, close } = await openPage(browser(), { reducedMotion: 'reduce' })
      await page.goto(`${baseUrl()}/places/skarnvik`)
      await hydrated(page, 'form')
      await page.locator('main form [type="submit"]').first().click()
      await page.locator('main form [aria-invalid="true"]').first().waitFor()
      expect(await faultsOf(page)).toEqual([])
      await close()
    })

    test('N3 finds a fault where there is one', async () => {
      const { page, close } = await openPage(browser())
      await page.setContent('<!doctype html><title>x</title><main><h1>x</h1><img src="data:,"></main>')
      expect((await faultsOf(page)).join()).toContain('image-alt')
      await close()
    })
  })
}

/** What axe-core finds in the page as it is. */
export async function faultsOf(page: Page): Promise<string[]> {
  // Injected by the debugger: the page's own policy forbids scripts from elsewhere.
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResults
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id} at ${target.join(' ')}: ${firstReason(failureSummary)}`),
  )
}

/** The second line: the first says only that something must be fixed. */
function firstReason(summary: string): string {
  return summary.split('\n')[1]?.trim() ?? summary
}
