// All kinds together: fast clicks, steps back while a page loads, hashes and queries, two tabs, no network.

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import { CLIENT_EXCEPTION_TEXT } from '@portico/shared/wire/errors/exception-texts.ts'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import { DATA_OF_SIX, heading, holdRequests, type NavigationSite } from './site.ts'

export function describeMixes(site: () => NavigationSite): void {
  const url = (path: string) => site().baseUrl + path

  /** The router's code is there. */
  const routed = (page: Page) => page.locator('#portico-announcer').waitFor({ state: 'attached' })
  const openRouted = async (path: string) => {
    const watched = await site().open(path)
    await routed(watched.page)
    return watched
  }
  const shows = (page: Page, seen: string, path: string) =>
    expect
      .poll(() => page.evaluate(() => ['seen', 'path'].map((id) => document.getElementById(id)?.textContent)))
      .toEqual([seen, path])

  describe('navigation of all kinds together', () => {
    test('N2 N3 addresses that differ in query and hash show what they say, there and back', async () => {
      const { page, documents, faults, close } = await openRouted('/parts')
      const steps = [
        ['#end', 'none', '/parts#end'],
        ['?q=1', '1', '/parts?q=1'],
        ['?q=1#end', '1', '/parts?q=1#end'],
        ['?q=2#end', '2', '/parts?q=2#end'],
        ['/parts#end', 'none', '/parts#end'],
      ] as const
      for (const [href, seen, path] of steps) {
        await page.locator(`a[href="${href}"]`).first().click()
        await shows(page, seen, path)
        await page.waitForURL(url(path))
      }
      for (const [, seen, path] of steps.toReversed().slice(1)) {
        await page.goBack()
        await shows(page, seen, path)
        await page.waitForURL(url(path))
      }
      // Quickly, over several links.
      await page.evaluate(() => history.go(3))
      await page.evaluate(() => history.go(-4))
      await shows(page, 'none', '/parts')
      await page.evaluate(() => history.go(4))
      await shows(page, '2', '/parts?q=2#end')
      expect(documents).toHaveLength(1)
      expect(faults).toEqual([])
      await close()
    })

    testAtLength('N6 of many quick clicks the last one wins, and the history holds what was shown', async () => {
      const { page, documents, faults, close } = await openRouted('/')
      const entries = () => page.evaluate(() => history.length)
      const first = await entries()
      for (let round = 0; round < 5; round++)
        await page.evaluate(async () => {
          for (const path of ['/items/six', '/about', '/items/one', '/form', '/']) {
            for (const link of document.querySelectorAll<HTMLAnchorElement>('a'))
              if (link.getAttribute('href') === path) link.click()
            await new Promise((done) => setTimeout(done, Math.random() * 30))
          }
        })
      await page.click('nav a[href="/about"]')
      await heading(page, 'About')
      await page.waitForURL(url('/about'))
      // Every entry shows the page of its address. On a slow machine few of the clicks are more than an attempt.
      const steps = Math.min(4, (await entries()) - first)
      expect(steps).toBeGreaterThan(0)
      for (let step = 0; step < steps; step++) {
        await page.evaluate(() => history.back())
        await expect
          .poll(async () => {
            const text = await page.textContent('h1')
            const wanted = {
              '/': 'Fixture',
              '/about': 'About',
              '/form': 'Form',
              '/items/six': 'Item six',
              '/items/one': 'Item one',
            }
            return (wanted as Record<string, string>)[new URL(page.url()).pathname] === text
          })
          .toBe(true)
      }
      expect(documents).toHaveLength(1)
      expect(faults).toEqual([])
      await close()
    })

    testAtLength('N6 a step back while a page loads shows the page before, and nothing of the other', async () => {
      const { page, documents, close } = await openPage(site().browser)
      const release = await holdRequests(page, DATA_OF_SIX)
      await page.goto(url('/about'))
      await hydrated(page, 'nav a')
      await page.click('nav a[href="/"]')
      await heading(page, 'Fixture')
      await page.click('a[href="/items/six"]')
      await page.goBack()
      await heading(page, 'About')
      release()
      await page.waitForTimeout(300)
      expect(page.url()).toBe(url('/about'))
      expect(await page.textContent('h1')).toBe('About')
      expect(documents).toHaveLength(1)
      await close()
    })

    test('N7 a stylesheet applies with its page, not before and not after', async () => {
      const { page, close } = await openPage(site().browser)
      const release = await holdRequests(page, DATA_OF_SIX)
      await page.goto(url('/'))
      await hydrated(page, 'nav a')
      await routed(page)
      // The first sheet is that of all pages.
      const sheet = page.locator('head link[rel=stylesheet]').nth(1)
      await page.click('a[href="/items/six"]')
      await sheet.waitFor({ state: 'attached' })
      const isApplied = () => sheet.evaluate((link) => matchMedia((link as HTMLLinkElement).media || 'all').matches)
      expect([await isApplied(), await page.textContent('h1')]).toEqual([false, 'Fixture'])
      release()
      await heading(page, 'Item six')
      expect(await isApplied()).toBe(true)
      await close()
    })

    test('N7 F3 the sheets of the shown page apply in the order of its imports, there and back, as in its document', async () => {
      const { page, documents, close } = await openRouted('/ordered/first')
      const styles = () =>
        page.locator('.ordered').evaluate((element) => {
          const { color, borderLeftWidth } = getComputedStyle(element)
          return [color, borderLeftWidth]
        })
      const FIRST = ['rgb(0, 0, 200)', '3px']
      const SECOND = ['rgb(200, 0, 0)', '0px']
      expect(await styles()).toEqual(FIRST)
      await page.click('a[href="/ordered/second"]')
      await heading(page, 'Second order')
      expect(await styles()).toEqual(SECOND)
      await page.goBack()
      await heading(page, 'First order')
      expect(await styles()).toEqual(FIRST)
      await page.goForward()
      await heading(page, 'Second order')
      expect(await styles()).toEqual(SECOND)
      expect(documents).toHaveLength(1)
      await page.reload()
      expect(await styles()).toEqual(SECOND)
      await close()
    })

    testAtLength('N2 N3 an entry that another script made shows the page it was made on, there and back', async () => {
      const { page, documents, close } = await openRouted('/parts')
      await page.evaluate(() => history.pushState({ own: 1 }, '', '/parts?q=9'))
      await page.click('nav a[href="/about"]')
      await heading(page, 'About')
      await page.goBack()
      await heading(page, 'Parts')
      await page.waitForURL(url('/parts?q=9'))
      expect(await page.evaluate(() => (history.state as { own?: number }).own)).toBe(1)
      expect(documents).toHaveLength(1)
      await close()
    })

    testAtLength('N3 an entry that was made without scrolling restores the place it was made at', async () => {
      const { page, close } = await openRouted('/parts')
      await page.evaluate(() => scrollTo(0, 300))
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(300)
      await page.evaluate(() => {
        location.hash = '#nowhere'
      })
      await expect.poll(() => page.evaluate(() => typeof history.state?.portico)).toBe('string')
      await page.evaluate(() => document.querySelector<HTMLAnchorElement>('nav a[href="/about"]')?.click())
      await heading(page, 'About')
      await page.goBack()
      await heading(page, 'Parts')
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(300)
      await close()
    })

    test('A1 N6 a response that arrives after the page was left changes nothing on the next page', async () => {
      const { page, documents, faults, close } = await openRouted('/form')
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const targets: string[] = []
      await page.route('**/form', async (route) => {
        if (route.request().method() === 'POST') {
          targets.push(route.request().url())
          await released
        }
        await route.continue()
      })
      await page.fill('#note', 'left behind')
      await page.click('form button')
      await expect.poll(() => targets).toEqual([url('/form')])
      await page.click('nav a[href="/about"]')
      const posted = page.waitForResponse((response) => response.request().method() === 'POST')
      release()
      expect((await posted).status()).toBe(200)
      await heading(page, 'About')
      await page.click('nav a[href="/form"]')
      await page.locator('#notes li', { hasText: 'left behind' }).waitFor()
      expect(documents).toHaveLength(1)
      expect(faults).toEqual([])
      await close()
    })

    test('P4 an action in one tab drops what another tab has prefetched', async () => {
      const first = await site().open('/')
      const second = await first.page.context().newPage()
      let requests = 0
      first.page.on('request', (request) => {
        if (DATA_OF_SIX.test(request.url())) requests++
      })
      const come = first.page.waitForResponse((response) => DATA_OF_SIX.test(response.url()))
      await first.page.hover('a[href="/items/six"]')
      await come
      // Listeners are called in the order in which they were made: the router's is the first.
      await first.page.evaluate(() => {
        Object.assign(new BroadcastChannel('portico-session'), {
          onmessage: () => Object.assign(globalThis, { isNoticed: true }),
        })
      })
      await second.goto(url('/form'))
      await hydrated(second, 'form')
      await routed(second)
      await second.fill('#note', 'from the other tab')
      const posted = second.waitForResponse((response) => response.request().method() === 'POST')
      await second.click('form button')
      await posted
      await second.locator('#notes li', { hasText: 'from the other tab' }).first().waitFor()
      await first.page.waitForFunction(() => 'isNoticed' in globalThis)
      expect(requests).toBe(1)
      await first.page.evaluate(() => document.querySelector<HTMLAnchorElement>('a[href="/items/six"]')?.click())
      await heading(first.page, 'Item six')
      expect(requests).toBe(2)
      await first.close()
    })

    test('N5 P3 without a network a prefetched page is shown, any other is an error of the browser', async () => {
      const { page, documents, close } = await openRouted('/')
      const context = page.context()
      const come = page.waitForResponse((response) => DATA_OF_SIX.test(response.url()))
      await page.hover('a[href="/items/six"]')
      await come
      await page.waitForLoadState('networkidle')
      await context.setOffline(true)
      await page.click('a[href="/items/six"]')
      await heading(page, 'Item six')
      expect(documents).toHaveLength(1)
      await page.evaluate(() => document.querySelector<HTMLAnchorElement>('nav a[href="/form"]')?.click())
      await expect.poll(() => documents.at(-1)).toBe(url('/form'))
      await context.setOffline(false)
      await page.goto(url('/form'))
      await heading(page, 'Form')
      await close()
    })

    testAtLength(
      'N5 E5 the error screen of a page that cannot be loaded disappears with a step back, and tries again',
      async () => {
        const { page, documents, close } = await openRouted('/about')
        await page.click('nav a[href="/"]')
        await heading(page, 'Fixture')
        await page.route(DATA_OF_SIX, (route) => route.abort())
        // As after a try a moment ago.
        const guard = () =>
          page.evaluate(() => sessionStorage.setItem('portico:data-network /items/six', String(Date.now())))
        await guard()
        await page.click('a[href="/items/six"]')
        await page.getByText(CLIENT_EXCEPTION_TEXT).waitFor()
        await page.goBack()
        await heading(page, 'About')
        await page.click('nav a[href="/"]')
        await heading(page, 'Fixture')
        await guard()
        await page.click('a[href="/items/six"]')
        await page.getByText(CLIENT_EXCEPTION_TEXT).waitFor()
        expect(documents).toHaveLength(1)
        await page.click('button:text("Try again")')
        await heading(page, 'Item six')
        expect(documents.at(-1)).toBe(url('/items/six'))
        await close()
      },
    )
  })
}
