// Pages that the browser puts aside as they are and shows again (the back/forward cache).

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated } from '../../../harness/chromium.ts'
import { DATA_OF_SIX, heading, type NavigationSite, startNavigationSite } from './site.ts'

export function describeKeptPages(): void {
  describe('a page that the browser kept', () => {
    let site: NavigationSite
    const url = (path: string) => site.baseUrl + path

    // A page in this browser costs three times the processor time of one in the other: nothing else is tested in it.
    beforeAll(async () => {
      site = await startNavigationSite({ keepsPages: true })
    })
    afterAll(() => site?.stop())

    test('N3 N6 P4 is live when it is shown again: no bar, nothing prefetched, its router at work', async () => {
      const { page, close } = await site.open('/')
      await page.locator('#portico-announcer').waitFor({ state: 'attached' })
      await page.evaluate(() => {
        Object.assign(globalThis, { isKept: true })
      })
      const come = page.waitForResponse((response) => DATA_OF_SIX.test(response.url()))
      await page.hover('a[href="/items/six"]')
      await come
      await page.evaluate(() => location.assign('/api/notes?subject=form'))
      await page.waitForURL('**/api/notes?subject=form')
      await page.goBack({ waitUntil: 'commit' })
      await page.waitForURL(url('/'), { waitUntil: 'commit' })
      await hydrated(page, 'nav a')
      expect(await page.evaluate(() => 'isKept' in globalThis)).toBe(true)
      await expect.poll(() => page.locator('#portico-pending').count()).toBe(0)
      const again = page.waitForResponse((response) => DATA_OF_SIX.test(response.url()))
      await page.evaluate(() => document.querySelector<HTMLAnchorElement>('a[href="/items/six"]')?.click())
      await again
      await heading(page, 'Item six')
      await close()
    })

    testAtLength('N6 waits for nothing any more when it was left because the router was late', async () => {
      const { page, release, close } = await site.openEarly('/parts', (route) => route.abort())
      await page.click('nav a[href="/about"]')
      await page.locator('#portico-pending').waitFor({ state: 'attached', timeout: 3000 })
      release()
      await heading(page, 'About')
      await page.goBack({ waitUntil: 'commit' })
      await heading(page, 'Parts')
      await hydrated(page, 'nav a')
      await expect.poll(() => page.locator('#portico-pending').count()).toBe(0)
      await expect.poll(() => page.textContent('#state')).toBe('idle')
      await close()
    })
  })
}
