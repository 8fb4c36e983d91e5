// The lab of the sample site in Chromium: formats side by side, and the page without JavaScript.

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hydrated, openPage } from '../../harness/chromium.ts'
import { connectChromium } from '../../harness/shared.ts'

const { baseUrl } = inject('atlas')
let browser: Browser

beforeAll(async () => {
  browser = await connectChromium()
})

afterAll(() => browser?.close())

const open = async (path: string) => {
  const watched = await openPage(browser, { viewport: { width: 1100, height: 900 } })
  await watched.page.goto(baseUrl + path)
  await hydrated(watched.page, 'form[action="/lab"]')
  return watched
}

describe('the lab', () => {
  test('I2 shows the bytes of each format, and another choice without a document', async () => {
    const { page, documents, faults, close } = await open('/lab?picture=moyun&w=640&q=50')
    const figures = (format: string) => page.locator(`[data-format="${format}"]`)
    await figures('jpeg').getByText(/KB in/).waitFor()
    for (const format of ['avif', 'webp'])
      await figures(format)
        .getByText(/KB in .*, \d+ % of JPEG/)
        .waitFor()
    const width = () =>
      page
        .locator('main img')
        .first()
        .evaluate((image) => (image as HTMLImageElement).naturalWidth)
    await expect.poll(width).toBe(640)
    await page.getByLabel('Width').selectOption('750')
    await page.waitForURL(/\?picture=moyun&w=750&q=50$/)
    await expect.poll(width).toBe(750)
    await page.goBack()
    expect(documents).toHaveLength(1)
    expect(faults).toEqual([])
    await close()
  })

  testAtLength('N1 moves the border between two formats by keyboard', async () => {
    const { page, close } = await open('/lab?picture=skarnvik&w=640')
    await page.getByLabel('WebP').check()
    const slider = page.getByRole('slider')
    await slider.waitFor()
    await page.locator('main').getByText('WEBP', { exact: true }).waitFor()
    const clip = () =>
      page
        .locator('main img')
        .last()
        .evaluate((image) => getComputedStyle(image).clipPath)
    expect(await clip()).toBe('inset(0px 0px 0px 50%)')
    await slider.focus()
    for (let count = 0; count < 5; count++) await page.keyboard.press('ArrowRight')
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('55 % JPEG')
    await expect.poll(clip).toBe('inset(0px 0px 0px 55%)')
    await close()
  })

  test('N1 is a form that shows the chosen image without JavaScript', async () => {
    const { page, close } = await openPage(browser, { javaScriptEnabled: false })
    await page.goto(`${baseUrl}/lab`)
    await page.getByLabel('Plate').selectOption('skarnvik')
    await page.getByLabel('Width').selectOption('640')
    await page.getByLabel('Quality').selectOption('50')
    await page.getByRole('button', { name: 'Show it' }).click()
    await page.waitForURL(/picture=skarnvik.*w=640&q=50/)
    const image = page.getByAltText('Skarnvik')
    await expect
      .poll(() => image.getAttribute('src'))
      .toMatch(/^\/_portico\/image\?url=%2Flandscapes%2Fskarnvik-.*&w=640&q=50$/)
    await expect.poll(() => image.evaluate((each) => each instanceof HTMLImageElement && each.naturalWidth)).toBe(640)
    expect(await page.getByRole('slider').count()).toBe(0)
    await close()
  })
})
