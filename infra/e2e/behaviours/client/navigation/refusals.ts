// Clients that page code refuses, and parts of pages that fail, in Chromium.

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { heading, type NavigationSite } from './site.ts'

export function describeRefusals(site: () => NavigationSite): void {
  const refused = async (page: Page, status: number) => {
    await heading(page, String(status))
    await expect.poll(() => page.title()).toBe(`${status}: ${status === 401 ? 'Unauthorized' : 'Forbidden'}`)
  }

  describe('refusals', () => {
    test('P4 a transition to a page that refuses shows the error screen with its status, and a step back the page', async () => {
      const { page, documents, close } = await site().open('/guarded')
      await page.click('a[href="/guarded?as=guest"]')
      await refused(page, 403)
      await page.waitForURL(`${site().baseUrl}/guarded?as=guest`)
      await page.goBack()
      await heading(page, 'Guarded')
      expect(documents).toHaveLength(1)
      await close()
    })

    test.each([
      ['#unknown', 401],
      ['#guest', 403],
    ])('W4 the form %s shows the error screen with status %i in the frame of the site', async (button, status) => {
      const { page, documents, close } = await site().open('/guarded')
      await page.click(button)
      await refused(page, status)
      expect(page.url()).toBe(`${site().baseUrl}/guarded`)
      await page.click('nav a[href="/about"]')
      await heading(page, 'About')
      expect(documents).toHaveLength(1)
      await close()
    })

    testAtLength('E5 forbidden() thrown in the browser shows the error screen', async () => {
      const { page, documents, close } = await site().open('/guarded')
      await page.click('#refuse')
      await refused(page, 403)
      expect(documents).toHaveLength(1)
      await close()
    })

    test('W4 without JavaScript page and form respond with the error screen and its status', async () => {
      const { page, close } = await site().openPlain('/guarded?as=unknown')
      await refused(page, 401)
      await page.goto(`${site().baseUrl}/guarded`)
      const [response] = await Promise.all([page.waitForNavigation(), page.click('#guest')])
      expect([response?.status(), response?.headers()['cache-control']]).toEqual([403, 'private, no-store'])
      await refused(page, 403)
      await close()
    })
  })

  describe('parts of a page', () => {
    test('E5 an error in a part leaves the page; retry and navigation show the part again', async () => {
      const { page, documents, close } = await site().open('/guarded')
      for (const leave of ['#retry', 'a[href="/guarded?as=editor"]']) {
        await page.click('#break')
        await page.locator('#retry').waitFor()
        expect(await page.locator('h1').textContent()).toBe('Guarded')
        await page.click(leave)
        await page.locator('#break').waitFor()
      }
      await expect.poll(() => page.locator('#as').textContent()).toBe('editor')
      expect(documents).toHaveLength(1)
      await close()
    })

    test('E5 a part that fails on the server and in the browser shows its fallback; the document has the rest', async () => {
      const { page, close } = await site().open('/guarded?as=broken')
      await page.locator('#retry').waitFor()
      await expect.poll(() => page.locator('#as').textContent()).toBe('broken')
      await close()
      const plain = await site().openPlain('/guarded?as=broken')
      expect(await plain.page.locator('#waiting').textContent()).toBe('Waiting for the part')
      await plain.close()
    })

    test('F1 a layout of pages keeps its state from page to page', async () => {
      const { page, close } = await site().open('/layout/first')
      await page.fill('#kept', 'typed by hand')
      await page.click('a[href="/layout/second"]')
      await heading(page, 'Second step')
      expect(await page.inputValue('#kept')).toBe('typed by hand')
      await close()
    })
  })
}
