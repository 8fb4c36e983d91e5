// What a client does before the router's code is there, or when it never comes.

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import { CLIENT_EXCEPTION_TEXT } from '@portico/shared/wire/errors/exception-texts.ts'
import { describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import { heading, holdRequests, type NavigationSite, ROUTER_CODE } from './site.ts'

export function describeLateRouter(site: () => NavigationSite): void {
  const url = (path: string) => site().baseUrl + path
  const ITEM = 'a[href="/items/six"]'

  describe('before the router is there', () => {
    test('N1 a click waits for the router and is then a transition; the last of two wins', async () => {
      const { page, documents, release, close } = await site().openEarly('/', (route) => route.continue())
      // Immediately: the clicks wait for 3.8 s at most, however slow this machine is.
      await page.evaluate(() => {
        for (const selector of ['a[href="/items/six"]', 'nav a[href="/about"]'])
          document.querySelector<HTMLAnchorElement>(selector)?.click()
      })
      release()
      await heading(page, 'About')
      expect(documents).toHaveLength(1)
      await page.goBack()
      await page.waitForURL(url('/'))
      expect(documents).toHaveLength(1)
      await close()
    })

    test('N6 a thin bar shows while a click waits for the router, and goes with the wait', async () => {
      const { page, documents, release, close } = await site().openEarly('/parts', (route) => route.continue())
      await page.click('nav a[href="/about"]')
      await page.locator('#portico-pending').waitFor({ state: 'attached', timeout: 3000 })
      await page.locator('#state', { hasText: 'loading' }).waitFor()
      release()
      await heading(page, 'About')
      await page.locator('#portico-pending').waitFor({ state: 'detached' })
      expect(documents).toHaveLength(1)
      await close()
    })

    test('P1 the router and what links prefetch wait for the images of the page, a pointer on a link does not', async () => {
      for (const isTouched of [false, true]) {
        const { page, requests, close } = await openPage(site().browser)
        const release = await holdRequests(page, '**/late.png')
        await page.route(url('/about'), async (route) => {
          const response = await route.fetch()
          await route.fulfill({
            response,
            body: (await response.text()).replace('</body>', '<img src="/late.png"></body>'),
          })
        })
        await page.goto(url('/about'), { waitUntil: 'commit' })
        await hydrated(page, 'nav a')
        const isRequested = () => requests.some((address) => ROUTER_CODE.test(address))
        if (isTouched) {
          await page.hover('nav a[href="/"]')
        } else {
          // Long enough for a browser that is idle.
          await page.evaluate(() => new Promise((done) => requestIdleCallback(done)))
          expect(isRequested()).toBe(false)
          release()
        }
        await expect.poll(isRequested).toBe(true)
        release()
        await close()
      }
    })

    test('N5 a click loads the document when the router cannot be had', async () => {
      const { page, documents, release, close } = await site().openEarly('/', (route) => route.abort())
      await page.click(ITEM)
      release()
      await heading(page, 'Item six')
      expect(documents).toEqual([url('/'), url('/items/six')])
      await close()
    })

    test('N3 a step back to an entry of this document waits for the router and shows its page', async () => {
      const { page, documents, release, close } = await site().openEarly('/', (route) => route.continue())
      // As after a reload: the entry before this one was made by a transition.
      await page.evaluate(() => {
        history.replaceState({ portico: 'before' }, '', '/about')
        history.pushState({ portico: 'here' }, '', '/')
      })
      await page.goBack()
      release()
      await heading(page, 'About')
      expect(documents).toHaveLength(1)
      await close()
    })

    test('N2 N3 moves within the page and back are the browser’s, whatever becomes of the router', async () => {
      const { page, documents, release, close } = await site().openEarly('/parts', (route) => route.abort())
      const isAtEnd = () => page.evaluate(() => scrollY > 500)
      for (const link of ['a[href="#end"]', '#plain']) {
        await page.click(link)
        await page.waitForURL(url('/parts#end'))
        await expect.poll(isAtEnd).toBe(true)
        await page.goBack()
        await page.waitForURL(url('/parts'))
        await expect.poll(isAtEnd).toBe(false)
      }
      release()
      await page.waitForTimeout(300)
      expect(documents).toHaveLength(1)
      expect(await page.locator('#portico-pending').count()).toBe(0)
      await close()
    })

    testAtLength('N2 N3 the router that comes after a move within the page knows where it is', async () => {
      const { page, documents, release, close } = await site().openEarly('/parts', (route) => route.continue())
      await page.click('#plain')
      release()
      await page.locator('#path', { hasText: '/parts#end' }).waitFor()
      await page.click('nav a[href="/about"]')
      await heading(page, 'About')
      await page.goBack()
      await page.waitForURL(url('/parts#end'))
      await heading(page, 'Parts')
      await page.goBack()
      await page.waitForURL(url('/parts'))
      await page.locator('#path', { hasText: /^\/parts$/ }).waitFor()
      expect(documents).toHaveLength(1)
      await close()
    })

    testAtLength(
      'N5 E3 a page without its data is loaded once more when the router cannot be had, then says so',
      async () => {
        const { page, documents, close } = await openPage(site().browser)
        await page.route(ROUTER_CODE, (route) => route.abort())
        await page.goto(url('/shell/one'))
        await page.getByText(CLIENT_EXCEPTION_TEXT).waitFor()
        expect(documents).toEqual([url('/shell/one'), url('/shell/one')])
        // A second try is allowed.
        await page.click('button:text("Try again")')
        await expect.poll(() => documents.length).toBe(3)
        await close()
      },
    )

    testAtLength('N3 a client that steps back before the page is live gets the page of the address', async () => {
      const { page, documents, close } = await site().open('/')
      await page.click('nav a[href="/about"]')
      await heading(page, 'About')
      const release = await holdRequests(page, /static\/page-about-.*\.js/)
      // The page's script has begun as soon as it watches forms.
      await page.addInitScript(() => {
        const listen = document.addEventListener.bind(document)
        document.addEventListener = (...call: Parameters<typeof listen>) => {
          if (call[0] === 'submit') document.documentElement.dataset.begun = ''
          listen(...call)
        }
      })
      await page.reload({ waitUntil: 'commit' })
      await page.locator('[data-begun]').waitFor()
      await page.evaluate(() => history.back())
      await page.waitForURL(url('/'))
      release()
      await heading(page, 'Fixture')
      expect(documents.at(-1)).toBe(url('/'))
      await close()
    })
  })
}
