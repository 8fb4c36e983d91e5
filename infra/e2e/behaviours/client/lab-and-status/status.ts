// The status page in Chromium: events while it can be seen, a snapshot without JavaScript, no address of a server.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openPage } from '../../../harness/chromium.ts'
import { send } from '../../../harness/http.ts'
import type { PagesTarget } from './target.ts'

const EVENTS = '/api/status/events'

/** Registers the status page's tests. */
export function describeStatus({ baseUrl, browser, serviceId }: PagesTarget): void {
  /** The page, and how many of its event streams were begun and are over. */
  const openStatus = async () => {
    const watched = await openPage(browser())
    const streams = { begun: 0, over: 0 }
    const isStream = (request: { url(): string }) => request.url().endsWith(EVENTS)
    watched.page.on('request', (request) => {
      if (isStream(request)) streams.begun++
    })
    const end = (request: { url(): string }) => {
      if (isStream(request)) streams.over++
    }
    watched.page.on('requestfailed', end)
    watched.page.on('requestfinished', end)
    await watched.page.goto(`${baseUrl()}/status`)
    return { ...watched, streams }
  }

  describe('the status page', () => {
    test('O7 follows the stack by server-sent events', async () => {
      const { page, faults, streams, close } = await openStatus()
      await shows(page, 'Live')
      await expect.poll(() => page.getByText('1 of 1 ready').count()).toBe(4)
      const build = String((await send(baseUrl(), '/')).headers['portico-build'])
      await expect.poll(() => page.locator('main code').innerText()).toBe(build)
      const row = page.getByRole('row', { name: /^renderer/ })
      await row.getByText(/\d a second/).waitFor({ timeout: 20_000 })
      const before = await page.locator('time').innerText()
      await expect.poll(() => page.locator('time').innerText(), { timeout: 20_000 }).not.toBe(before)
      expect(streams).toEqual({ begun: 1, over: 0 })
      expect(faults).toEqual([])
      await close()
    })

    test('O7 closes the stream while the page is hidden, and opens a stream when the page is visible', async () => {
      const { page, streams, close } = await openStatus()
      await shows(page, 'Live')
      await setVisibility(page, 'hidden')
      await expect.poll(() => streams.over).toBe(1)
      await shows(page, 'A snapshot')
      await setVisibility(page, 'visible')
      await shows(page, 'Live')
      expect(streams).toEqual({ begun: 2, over: 1 })
      await close()
    })

    test('O7 closes the stream when another page is shown', async () => {
      const { page, streams, close } = await openStatus()
      await shows(page, 'Live')
      await page.click('footer a[href="/about"]')
      await page.locator('h1', { hasText: 'About' }).waitFor()
      await expect.poll(() => streams.over).toBe(1)
      await close()
    })

    test('O9 shows no address and no secret', async () => {
      const texts = await Promise.all(
        ['/status', '/api/status'].map(async (path) => (await send(baseUrl(), path)).text),
      )
      for (const text of texts) {
        expect(text).toContain('replicas')
        expect(text).not.toMatch(/127\.0\.0\.1|localhost|token|\.sqlite|redis/i)
      }
    })

    test('G4 streams through the gateway unchanged, and no cache stores the stream', async () => {
      const controller = new AbortController()
      const response = await fetch(baseUrl() + EVENTS, {
        headers: { 'accept-encoding': 'gzip, br' },
        signal: controller.signal,
      })
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
      expect(response.headers.get('content-encoding')).toBeNull()
      expect(response.headers.get('cache-control')).toContain('no-store')
      const first = await response.body?.getReader().read()
      expect(new TextDecoder().decode(first?.value)).toMatch(/^retry: 1000\ndata: \{/)
      controller.abort()
      expect((await send(baseUrl(), EVENTS, { method: 'HEAD' })).status).toBe(405)
    })

    test('O7 is linked from every page while it is there', async () => {
      expect((await send(baseUrl(), '/about')).text).toContain('href="/status"')
    })

    test('N1 is a snapshot without JavaScript', async () => {
      const { page, close } = await openPage(browser(), { javaScriptEnabled: false })
      const load = async () => {
        await page.goto(`${baseUrl()}/status`)
        return [await page.locator('[data-stream]').innerText(), await page.getByText('1 of 1 ready').count()]
      }
      await expect.poll(load).toEqual(['A snapshot', 4])
      await page
        .getByText(/\d requests/)
        .first()
        .waitFor()
      await close()
    })

    test('O5 continues with the next replica when the connected one stops', async () => {
      const { page, streams, close } = await openStatus()
      await shows(page, 'Live')
      process.kill(serviceId('actions'), 'SIGTERM')
      await expect.poll(() => streams.over, { timeout: 20_000 }).toBeGreaterThan(0)
      await expect.poll(() => streams.begun, { timeout: 20_000 }).toBeGreaterThan(1)
      await shows(page, 'Live')
      await close()
    })
  })
}

const shows = (page: Page, text: string) =>
  page.locator('[data-stream]', { hasText: text }).waitFor({ timeout: 20_000 })

function setVisibility(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  // A page of a headless browser is never hidden by itself.
  return page.evaluate((wanted) => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => wanted })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
}
