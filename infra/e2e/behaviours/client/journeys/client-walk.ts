// A whole visit by clicks: every page after the first is shown without a document, and the console stays empty.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import type { JourneyTarget } from './target.ts'

export function describeClientWalk({ baseUrl, browser, isWhole }: JourneyTarget): void {
  describe('a whole visit', () => {
    test('N1 A1 loads one document from home to a sent postcard, the docs, a search and home again', async () => {
      const { page, documents, faults, close } = await openPage(browser())
      await page.goto(`${baseUrl()}/`)
      await hydrated(page, 'main')

      await page.click('main nav a[href="/collections/north"]')
      await heading(page, 'The North')
      await page.click('main a[href="/places/skarnvik"]')
      await heading(page, 'Skarnvik')

      const words = `Walked here ${Math.random().toString(36).slice(2, 10)}`
      await page.fill('textarea[name="message"]', words)
      await page.fill('input[name="name"]', 'Ida')
      await page.locator('main form:has(textarea) [type="submit"]').first().click()
      await page.locator('main li:not([aria-busy="true"])', { hasText: words }).waitFor()

      await page.click('header a[href="/docs"]')
      await page.waitForURL(`${baseUrl()}/docs`)
      await page.locator('main nav a[href="/docs/how-a-request-travels"]').first().click()
      await heading(page, 'How a request travels')

      await page.click('header a[href="/search"]')
      await heading(page, 'Search')
      await page.fill('#search-field', 'kettle')
      await page.waitForURL(`${baseUrl()}/search?q=kettle`)
      await page.getByRole('status').filter({ hasText: 'kettle' }).waitFor()

      await page.click('header a[href="/"]')
      await page.locator('#title').waitFor()
      await page.waitForURL(`${baseUrl()}/`)
      expect(documents).toEqual([`${baseUrl()}/`])
      expect(faults).toEqual([])
      await close()
    })

    if (isWhole) {
      test('N3 navigates the whole history back and forward without a document', async () => {
        const { page, documents, faults, close } = await openPage(browser())
        await page.goto(`${baseUrl()}/about`)
        await hydrated(page, 'main')
        const visit = ['/docs', '/collections', '/search', '/']
        for (const path of visit) {
          await page.click(`header a[href="${path}"]`)
          await page.locator(`header a[href="${path}"][aria-current="page"]`).first().waitFor()
        }
        for (const path of ['/search', '/collections', '/docs', '/about']) {
          await page.evaluate(() => history.back())
          await page.locator(`header a[href="${path}"][aria-current="page"]`).first().waitFor()
        }
        for (const path of visit) {
          await page.evaluate(() => history.forward())
          await page.locator(`header a[href="${path}"][aria-current="page"]`).first().waitFor()
        }
        expect(documents).toEqual([`${baseUrl()}/about`])
        expect(faults).toEqual([])
        await close()
      })
    }
  })
}

async function heading(page: Page, text: string): Promise<void> {
  await page.locator('main h1', { hasText: text }).waitFor({ timeout: 15_000 })
}
