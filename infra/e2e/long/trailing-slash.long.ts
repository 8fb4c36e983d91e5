// A site whose addresses end with a slash, below a basePath: clients never see another spelling of a page (R6).

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated, launchChromium, openPage } from '../harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../harness/embedded-stack.ts'
import { type EditedSite, makeSite } from '../sites/make-site.ts'
import { SMALL } from '../sites/written/small.ts'
import { TRAILING_SLASH } from '../sites/written/trailing-slash.ts'

describe('a site with trailingSlash and basePath', () => {
  let browser: Browser
  let site: EditedSite
  let stack: EmbeddedStack

  beforeAll(async () => {
    browser = await launchChromium()
    site = await makeSite({ ...SMALL, ...TRAILING_SLASH })
    stack = await startEmbedded({ appDir: site.dir })
  })
  afterAll(async () => {
    await browser?.close()
    await stack?.stop()
    await site?.remove()
  })

  const WAYS = [
    ['#link', '/about/?a=1#part'],
    ['#push', '/about/'],
    ['#moved', '/about/'],
  ] as const

  test.each(WAYS)('R6 N1 N2 K2 %s leads to %s in one document, and back to the home page', async (selector, path) => {
    const { page, documents, faults, close } = await openPage(browser)
    const requested: string[] = []
    page.on('request', (request) => requested.push(new URL(request.url()).pathname))
    await page.goto(`${stack.baseUrl}/shop/`)
    await hydrated(page, selector, 60_000)
    await page.click(selector)
    await page.locator('h1').getByText(path, { exact: true }).waitFor()
    await page.waitForURL(`${stack.baseUrl}/shop${path}`)
    await page.click('#home')
    await page.locator('h1').getByText('/', { exact: true }).waitFor()
    await page.waitForURL(`${stack.baseUrl}/shop/`)
    expect(documents).toHaveLength(1)
    expect(requested.filter((pathname) => pathname === '/shop/about' || pathname === '/shop')).toEqual([])
    expect(faults).toEqual([])
    await close()
  })
})
