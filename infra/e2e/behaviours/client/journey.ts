// The behaviour in Chromium with every app folder: the browser half of the end-to-end suite.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runs } from '@portico/shared/kit/testing/runs.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../../checks/sources.ts'
import { hydrated, openPage } from '../../harness/chromium.ts'
import { connectChromium } from '../../harness/shared.ts'
import type { Target } from '../http/suite.ts'

/** Ignored by git: for people to look at. */
const SHOTS = join(root, 'infra/e2e/shots')
/** Screenshots have both widths and both schemes. */
const VIEWS = [
  { width: 390, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const

/** Registers the journey's tests. */
export function describeJourney(where: string, { baseUrl, site }: Target): void {
  const detailLink = `a[href="${site.detail.path}"]`
  let browser: Browser

  describe(`${site.name} ${where}: in Chromium`, () => {
    beforeAll(async () => {
      browser = await connectChromium()
      await mkdir(SHOTS, { recursive: true })
    })
    afterAll(() => browser?.close())

    test('N1 N3 navigates to a page without loading a document, and back to the scroll position', async () => {
      const { page, faults, documents, close } = await openPage(browser, { viewport: { width: 1000, height: 500 } })
      await page.goto(baseUrl() + site.home.path)
      await hydrated(page, detailLink)
      const link = page.locator(detailLink).last()
      await link.scrollIntoViewIfNeeded()
      await page.evaluate(() => window.scrollBy({ top: 120, behavior: 'instant' }))
      // The router notes the place at the end of the scroll.
      await page.waitForTimeout(200)
      const scrolled = await page.evaluate(() => window.scrollY)
      expect(scrolled).toBeGreaterThan(0)

      await link.click()
      await page.waitForURL(baseUrl() + site.detail.path)
      await page.getByText(site.detail.text).first().waitFor()
      await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0)

      await page.goBack()
      await page.getByText(site.home.text).first().waitFor()
      await expect.poll(() => page.evaluate(() => window.scrollY), { timeout: 10_000 }).toBeCloseTo(scrolled, -1)
      expect(documents).toEqual([baseUrl() + site.home.path])
      expect(faults).toEqual([])
      await close()
    })

    for (const form of site.forms) {
      test(`A1 sends the form of ${form.path} without loading a document and shows what it stored`, async () => {
        const { page, faults, documents, close } = await openPage(browser)
        const unique = `browser-${Math.random().toString(36).slice(2, 10)}`
        await page.goto(baseUrl() + form.path)
        await hydrated(page, 'form[method="POST" i], form:has([name])')
        await fillForm(page, form.fields(unique))
        // Pages may show what was typed before it is stored: the response shows that it is stored.
        const posted = page.waitForResponse((response) => response.request().method() === 'POST')
        await submitForm(page)
        expect((await posted).status()).toBe(200)
        await page.getByText(unique).first().waitFor({ timeout: 10_000 })
        expect(documents).toHaveLength(1)
        expect(faults).toEqual([])
        // Stored, not only shown.
        await page.reload()
        await page.getByText(unique).first().waitFor()
        expect(faults).toEqual([])
        await close()
      })

      test(`A1 N1 takes the form of ${form.path} without JavaScript`, async () => {
        const { page, close } = await openPage(browser, { javaScriptEnabled: false })
        const unique = `plain-${Math.random().toString(36).slice(2, 10)}`
        await page.goto(baseUrl() + site.home.path)
        await page.locator(detailLink).last().click()
        await page.waitForURL(baseUrl() + site.detail.path)
        await page.goto(baseUrl() + form.path)
        await fillForm(page, form.fields(unique))
        await submitForm(page)
        await page.getByText(unique).first().waitFor()
        await close()
      })
    }

    test('E1 shows the not-found screen', async () => {
      const { page, close } = await openPage(browser)
      const response = await page.goto(`${baseUrl()}/nope`)
      expect(response?.status()).toBe(404)
      expect(await page.title()).toBe('404: This page could not be found.')
      await close()
    })

    for (const { width, colorScheme } of VIEWS.slice(0, runs(1, VIEWS.length)))
      test(`is pictured ${width} px wide in ${colorScheme}, and nothing sticks out sideways`, async () => {
        const { page, close } = await openPage(browser, { viewport: { width, height: 900 }, colorScheme })
        for (const path of [
          ...new Set([site.home.path, site.detail.path, ...site.forms.map((form) => form.path), '/nope']),
        ]) {
          await page.goto(baseUrl() + path)
          await showWhole(page)
          const name = path === '/' ? 'home' : path.slice(1).replaceAll('/', '-')
          const file = join(SHOTS, `${site.name}-${name}-${width}-${colorScheme}.png`)
          await page.screenshot({ path: file, fullPage: true })
          const wide = await page.evaluate(() => document.documentElement.scrollWidth)
          expect(wide, `${path} at ${width} px`).toBeLessThanOrEqual(width)
        }
        await close()
      })
  })
}

/** The form that holds the named fields: a site may have others. */
async function fillForm(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`form [name="${name}"]`).first().fill(value)
}

async function submitForm(page: Page): Promise<void> {
  await page.locator('form:has([name]:not([type="hidden"])) [type="submit"]').first().click()
}

/** Scrolls through the page, so that lazy images are requested, and waits until they are loaded. */
async function showWhole(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let top = 0; top < document.documentElement.scrollHeight; top += window.innerHeight / 2) {
      window.scrollTo(0, top)
      await new Promise((done) => setTimeout(done, 60))
    }
    window.scrollTo(0, 0)
  })
  await page.waitForFunction(() => [...document.images].every((image) => image.complete), undefined, {
    timeout: 60_000,
  })
}
