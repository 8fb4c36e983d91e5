// The lab in Chromium: its requests, the figures of the response, and the page without JavaScript.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import type { PagesTarget } from './target.ts'

/** Registers the lab's tests. */
export function describeLab({ baseUrl, browser }: PagesTarget): void {
  const open = async (path: string) => {
    const watched = await openPage(browser(), { viewport: { width: 1100, height: 900 } })
    await watched.page.goto(baseUrl() + path)
    await hydrated(watched.page, 'form[action="/lab"]')
    return watched
  }

  describe('the lab', () => {
    test('I2 I5 shows bytes, time, cache verdict and format of what was requested, without a document', async () => {
      const { page, documents, faults, close } = await open('/lab?picture=moyun&w=640&q=50&format=auto')
      await figure(page, 'Format', 'AVIF640 × 400')
      await figure(page, 'Bytes', /KB.*% of \d/)
      await figure(page, 'Time', /m?s/)
      await page.getByLabel('WebP').check()
      await figure(page, 'Format', 'WEBP')
      await page.waitForURL(/\?picture=moyun&w=640&q=50&format=webp$/)
      await page.getByRole('button', { name: 'Fetch it' }).click()
      await figure(page, 'Cache', 'HIT')
      await page.getByLabel('Width').selectOption('750')
      await figure(page, 'Format', '750 × 469')
      expect(documents).toHaveLength(1)
      expect(faults).toEqual([])
      await close()
    })

    test('I5 draws a bar for every measurement', async () => {
      const { page, close } = await open('/lab?picture=ostrel&w=640&q=50&format=webp')
      const bars = page.locator('svg[aria-label^="Latest first"] rect')
      await expect.poll(() => bars.count(), { timeout: 30_000 }).toBe(1)
      await page.getByRole('button', { name: 'Ten times' }).click()
      await expect.poll(() => bars.count(), { timeout: 30_000 }).toBe(11)
      await expect.poll(() => bars.last().getAttribute('data-verdict')).toBe('hit')
      await close()
    })

    test('I1 shows the rule when the image service refuses', async () => {
      const { page, close } = await open('/lab?url=https%3A%2F%2Fevil.example%2Fx.png')
      const alert = page.getByRole('alert')
      await expect.poll(() => alert.innerText(), { timeout: 30_000 }).toMatch(/400[\s\S]*url.*remotePatterns/)
      await page.getByLabel('Plate').selectOption('skarnvik')
      await figure(page, 'Format', 'AVIF')
      await expect.poll(() => page.getByLabel('Or an address').inputValue()).toBe('')
      await close()
    })

    test('I1 takes a full address of this site', async () => {
      const { page, close } = await open('/lab?picture=skarnvik&w=640')
      const src = await page.getByAltText('Skarnvik, the original').getAttribute('src')
      await page.getByLabel('Or an address').fill(`${baseUrl()}${src}`)
      await page.keyboard.press('Enter')
      await page.getByAltText('the pasted picture, the variant').waitFor({ timeout: 30_000 })
      await figure(page, 'Format', '640 × 400')
      await close()
    })

    test('N1 moves the border between original and variant by keyboard', async () => {
      const { page, close } = await open('/lab?picture=skarnvik&w=640')
      const slider = page.getByRole('slider')
      await page.getByAltText('Skarnvik, the variant').waitFor({ timeout: 30_000 })
      const clip = () =>
        page.getByAltText('Skarnvik, the variant').evaluate((image) => getComputedStyle(image).clipPath)
      expect(await clip()).toBe('inset(0px 0px 0px 50%)')
      await slider.focus()
      for (let count = 0; count < 5; count++) await page.keyboard.press('ArrowRight')
      await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('55 % original')
      await expect.poll(clip).toBe('inset(0px 0px 0px 55%)')
      await page.keyboard.press('Home')
      await expect.poll(clip).toBe('inset(0px 0px 0px 0%)')
      await close()
    })

    test('N1 is a form that shows the chosen variant without JavaScript', async () => {
      const { page, close } = await openPage(browser(), { javaScriptEnabled: false })
      await page.goto(`${baseUrl()}/lab`)
      await page.getByLabel('Plate').selectOption('skarnvik')
      await page.getByLabel('Width').selectOption('640')
      await page.getByLabel('50', { exact: true }).check()
      await page.getByRole('button', { name: 'Fetch it' }).click()
      await page.waitForURL(/picture=skarnvik.*w=640&q=50/)
      const variant = page.getByAltText('Skarnvik, the variant')
      await expect
        .poll(() => variant.getAttribute('src'))
        .toMatch(/^\/_portico\/image\?url=%2Flandscapes%2Fskarnvik-.*&w=640&q=50$/)
      await expect
        .poll(() => variant.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth))
        .toBe(640)
      expect(await page.getByRole('slider').count()).toBe(0)
      await close()
    })
  })
}

/** The figure of a term, once it says so: measuring takes as long as the machine needs. */
function figure(page: Page, term: string, text: string | RegExp) {
  return page
    .locator('dl > div', { hasText: new RegExp(`^${term}`, 'i') })
    .locator('dd', { hasText: text })
    .waitFor({ timeout: 30_000 })
}
