// Forms that are submitted before the page is hydrated, and quick clicks after it.

import { forms, testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPage } from '../../harness/chromium.ts'
import { connectChromium } from '../../harness/shared.ts'
import { createActionPages } from './actions-site.ts'

/** Registers the tests; they need the fixture's pages. */
export function describeEarlyClicks(where: string, baseUrl: () => string): void {
  let browser: Browser
  const { readNotes, countOf, unique, open } = createActionPages(baseUrl, () => browser)

  /** A page whose scripts wait until `release`. */
  const openBeforeScripts = async (path: string) => {
    const opened = await openPage(browser)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await opened.page.route(/\/_portico\/static\/.*\.js$/, async (route) => {
      await released
      await route.continue().catch(() => {})
    })
    const response = await opened.page.goto(baseUrl() + path, { waitUntil: 'commit' })
    await opened.page.locator('#__PORTICO_DATA__').waitFor({ state: 'attached' })
    return { ...opened, release, policy: response?.headers()['content-security-policy'] ?? '' }
  }

  const runs = (page: Page, count: number) => expect.poll(() => page.textContent('#runs')).toBe(String(count))

  beforeAll(async () => {
    browser = await connectChromium()
  })
  afterAll(() => browser?.close())

  describe(`actions ${where}: clicks before hydration`, () => {
    const KINDS = forms(
      ['streamed', /script-src 'self' 'nonce-[^']+'/],
      ['cached', /script-src 'self' 'sha256-[^']+'(;|$)/],
      ['live', /script-src 'self' 'sha256-[^']+'(;|$)/],
    )
    test.each(KINDS)(
      'G6 a click on a form with a client function is run once after hydration: %s',
      async (kind, policyRule) => {
        const { page, faults, documents, policy, release, close } = await openBeforeScripts(`/early/${kind}`)
        expect(policy).toMatch(policyRule)
        const text = unique()
        await page.fill('#optimistic [name=note]', text)
        await page.locator('#optimistic button').click()
        expect(await countOf('form', text)).toBe(0)
        release()
        await page.locator('#shown li[data-pending=false]', { hasText: text }).waitFor()
        // React shows what the action changed before its response later than what it changed afterwards.
        await runs(page, 1)
        expect(await countOf('form', text)).toBe(1)
        // After hydration the form is React's own.
        const next = unique()
        await page.fill('#optimistic [name=note]', next)
        await page.locator('#optimistic button').click()
        await page.locator('#shown li[data-pending=false]', { hasText: next }).waitFor()
        await runs(page, 2)
        expect([await countOf('form', text), await countOf('form', next)]).toEqual([1, 1])
        expect(documents).toHaveLength(1)
        expect(faults).toEqual([])
        await close()
      },
    )

    test('A5 equal clicks before hydration run the client function once; other contents are another submission', async () => {
      const { page, faults, release, close } = await openBeforeScripts('/early/cached')
      const texts = [unique(), unique()]
      for (const text of texts) {
        await page.fill('#optimistic [name=note]', text)
        await page.locator('#optimistic button').dblclick()
      }
      release()
      for (const text of texts) await page.locator('#shown li[data-pending=false]', { hasText: text }).waitFor()
      await runs(page, 2)
      expect([await countOf('form', texts[0]!), await countOf('form', texts[1]!)]).toEqual([1, 1])
      expect(faults).toEqual([])
      await close()
    })

    testAtLength('A5 a click has no effect while the submission from before hydration is running', async () => {
      const { page, faults, release, close } = await openBeforeScripts('/early/live')
      const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
      await page.route('**/early/live', async (route) => {
        if (route.request().method() === 'POST') await held
        await route.continue()
      })
      const text = unique()
      await page.fill('#optimistic [name=note]', text)
      await page.locator('#optimistic button').click()
      release()
      await page.locator('#shown li[data-pending=true]', { hasText: text }).waitFor()
      await page.locator('#optimistic button').click()
      goOn()
      await page.locator('#shown li[data-pending=false]', { hasText: text }).waitFor()
      await runs(page, 1)
      expect(await countOf('form', text)).toBe(1)
      await expect.poll(() => page.inputValue('#optimistic [name=note]')).toBe('')
      expect(faults).toEqual([])
      await close()
    })

    testAtLength('A1 a form with an action is posted by the browser, and no script is allowed for it', async () => {
      const { page, documents, policy, release, close } = await openBeforeScripts('/form')
      expect(policy).toMatch(/script-src 'self'$/)
      const text = unique()
      await page.fill('#note', text)
      await page.locator('form button').click()
      await expect.poll(() => countOf('form', text)).toBe(1)
      release()
      await page.locator('#notes li', { hasText: text }).waitFor()
      expect(documents.length).toBeGreaterThan(1)
      expect(await countOf('form', text)).toBe(1)
      await close()
    })
  })

  test(`A5 actions ${where}: each quick click counts with repeat: allow`, async () => {
    const { page, faults, close } = await open('/counter', '#applaud')
    const before = (await readNotes('')).counters.applaud
    const keys = new Set<string | undefined>()
    page.on('request', (request) => {
      if (request.method() === 'POST') keys.add(request.headers()['idempotency-key'])
    })
    await page.evaluate(() => {
      const button = document.querySelector<HTMLButtonElement>('#applaud button')
      for (let click = 0; click < 3; click++) button?.click()
    })
    await expect.poll(async () => (await readNotes('')).counters.applaud).toBe(before + 3)
    await expect.poll(() => keys.size).toBe(3)
    expect(faults).toEqual([])
    await close()
  })
}
