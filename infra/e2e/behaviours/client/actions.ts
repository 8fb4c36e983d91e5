// What a client with JavaScript sees of forms, over good networks and bad ones.

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated } from '../../harness/chromium.ts'
import { connectChromium } from '../../harness/shared.ts'
import { createActionPages } from './actions-site.ts'

/** Registers the tests; they need the fixture's pages. */
export function describeActions(where: string, baseUrl: () => string): void {
  let browser: Browser
  const { readNotes, countOf, unique, open } = createActionPages(baseUrl, () => browser)
  const isPost = (route: Route) => route.request().method() === 'POST'

  /** The action's code is loaded when a form gets the focus. */
  const loadActions = async (page: Page, selector: string) => {
    const loaded = page.waitForResponse((response) => /framework-actions/.test(response.url()))
    await page.locator(selector).focus()
    // With what it imports. As text: the test runner writes its own imports into functions.
    await page.evaluate(`import(${JSON.stringify((await loaded).url())}).then(() => {})`)
  }

  beforeAll(async () => {
    browser = await connectChromium()
  })
  afterAll(() => browser?.close())

  describe(`actions ${where}: with JavaScript`, () => {
    test('A5 runs a form once that is submitted twice in one frame', async () => {
      const { page, faults, close } = await open('/counter', '#count')
      const before = (await readNotes('')).counters.count
      await page.evaluate(() => {
        const button = document.querySelector<HTMLButtonElement>('#count button')
        button?.click()
        button?.click()
      })
      await page.locator('#counted', { hasText: String(before + 1) }).waitFor()
      expect((await readNotes('')).counters.count).toBe(before + 1)
      // With a response: the same contents may be a new submission.
      await page.locator('#count button').click()
      await page.locator('#counted', { hasText: String(before + 2) }).waitFor()
      expect((await readNotes('')).counters.count).toBe(before + 2)
      expect(faults).toEqual([])
      await close()
    })

    test('A5 runs a form once whose response was lost, and shows the response of that run', async () => {
      const { page, close } = await open('/counter', '#count')
      const before = (await readNotes('')).counters.count
      const keys: (string | undefined)[] = []
      await page.route('**/counter', async (route) => {
        if (!isPost(route)) return route.continue()
        keys.push(route.request().headers()['idempotency-key'])
        if (keys.length > 2) return route.continue()
        // The server has run it; the client's connection ends before the response.
        await route.fetch()
        await route.abort('connectionreset')
      })
      await page.locator('#count button').click()
      await page.locator('#counted', { hasText: String(before + 1) }).waitFor()
      expect((await readNotes('')).counters.count).toBe(before + 1)
      expect([keys.length, new Set(keys).size]).toEqual([3, 1])
      await close()
    })

    testAtLength(
      'A5 says that the client is offline, keeps what was typed, and stores it once when it is sent again',
      async () => {
        for (const { path, form, field, subject, message } of [
          { path: '/form', form: 'form', field: '#note', subject: 'form', message: '#portico-notice' },
          { path: '/things/4', form: 'form', field: '#text', subject: 'thing:4', message: '[role=status]' },
        ]) {
          const { page, close } = await open(path, form)
          const text = unique()
          await loadActions(page, field)
          await page.fill(field, text)
          await page.context().setOffline(true)
          await page.locator('form button').first().click()
          await page.locator(message, { hasText: 'You are offline.' }).waitFor()
          expect(await page.inputValue(field)).toBe(text)
          expect(await countOf(subject, text)).toBe(0)
          await page.context().setOffline(false)
          await page.locator('form button').first().click()
          await page.locator('#notes li', { hasText: text }).waitFor()
          await expect.poll(() => page.inputValue(field)).toBe('')
          await expect.poll(() => page.locator('#portico-notice').count()).toBe(0)
          expect(await countOf(subject, text)).toBe(1)
          await close()
        }
      },
    )

    testAtLength(
      'A2 keeps what was typed when the action is unknown, and says that the page is out of date',
      async () => {
        for (const { path, field, message } of [
          { path: '/form', field: '#note', message: '#portico-notice' },
          { path: '/things/5', field: '#text', message: '[role=status]' },
        ]) {
          const { page, close } = await open(path, 'form')
          await page.route(`**${path}`, (route) =>
            isPost(route)
              ? route.continue({ headers: { ...route.request().headers(), 'portico-action': 'of-an-older-build' } })
              : route.continue(),
          )
          await page.fill(field, 'typed by hand')
          const posted = page.waitForResponse((response) => response.request().method() === 'POST')
          await page.locator('form button').first().click()
          expect((await posted).status()).toBe(404)
          await page.locator(message, { hasText: 'out of date' }).waitFor()
          await page.waitForTimeout(200)
          expect(await page.inputValue(field)).toBe('typed by hand')
          await close()
        }
      },
    )

    testAtLength('A7 shows the size and the limit of a form that is too large, and keeps what was typed', async () => {
      for (const { path, field, bytes, message, limit } of [
        { path: '/form', field: '#note', bytes: 1_100_000, message: '#portico-notice', limit: '1 MB' },
        { path: '/contact', field: '#letter', bytes: 40_000, message: '[role=status]', limit: '32 KB' },
      ]) {
        const { page, close } = await open(path, 'form')
        const typed = 'x'.repeat(bytes)
        await page.locator(field).evaluate((input: HTMLInputElement, value) => {
          input.value = value
        }, typed)
        await page.locator('form button').first().click()
        await page.locator(message, { hasText: `B. The limit is ${limit}.` }).waitFor()
        await page.waitForTimeout(100)
        expect((await page.inputValue(field)).length).toBe(bytes)
        await close()
      }
    })

    testAtLength('A3 shows the issue of a field and keeps what was typed', async () => {
      const { page, close } = await open('/things/6', 'form')
      const text = 'more than twenty characters'
      await page.fill('#text', text)
      await page.locator('form button').click()
      await page.locator('[role=status]', { hasText: 'At most 20 characters.' }).waitFor()
      expect(await page.inputValue('#text')).toBe(text)
      const short = unique()
      await page.fill('#text', short)
      await page.locator('form button').click()
      await page.locator('[role=status]', { hasText: `Saved: ${short}` }).waitFor()
      await expect.poll(() => page.inputValue('#text')).toBe('')
      expect([await countOf('thing:6', text), await countOf('thing:6', short)]).toEqual([0, 1])
      await close()
    })

    test('A1 shows a note before it is stored, says that it is pending, and shows it once afterwards', async () => {
      const { page, faults, close } = await open('/board', '#pin')
      const text = unique()
      let goOn = () => {}
      const held = new Promise<void>((done) => {
        goOn = done
      })
      await page.route('**/board', async (route) => {
        if (isPost(route)) await held
        await route.continue()
      })
      await page.fill('#pin [name=text]', text)
      await page.locator('#pin button').click()
      await page.locator('#notes li[data-pending]', { hasText: text }).waitFor()
      await page.locator('#pin button', { hasText: 'Pinning' }).waitFor()
      expect(await countOf('board', text)).toBe(0)
      goOn()
      await page.locator('#notes li:not([data-pending])', { hasText: text }).waitFor()
      await page.locator('#pin button', { hasText: /^Pin$/ }).waitFor()
      await expect.poll(() => page.locator('#notes li', { hasText: text }).count()).toBe(1)
      // Bound arguments: the form of this note alone.
      await page.getByLabel(`Take ${text} down`).click()
      await page.locator('#notes li', { hasText: text }).waitFor({ state: 'detached' })
      expect(await countOf('board', text)).toBe(0)
      expect(faults).toEqual([])
      await close()
    })

    testAtLength('A1 a note that was shown before it was stored disappears when it is rejected', async () => {
      const { page, close } = await open('/board', '#pin')
      const text = unique()
      await page.route('**/board', (route) => (isPost(route) ? route.abort('connectionrefused') : route.continue()))
      await page.fill('#pin [name=text]', text)
      await page.locator('#pin button').click()
      await page.locator('#notes li[data-pending]', { hasText: text }).waitFor()
      await page.locator('[role=status]', { hasText: 'cannot be reached' }).waitFor()
      await expect.poll(() => page.locator('#notes li', { hasText: text }).count()).toBe(0)
      expect(await page.inputValue('#pin [name=text]')).toBe(text)
      await close()
    })

    test('A1 A7 takes a file, a redirect with its cookie, and a fault with its digest', async () => {
      const { page, close } = await open('/counter', '#upload')
      await page.setInputFiles('#upload [name=picture]', {
        name: 'a b.txt',
        mimeType: 'text/plain',
        buffer: Buffer.alloc(3000),
      })
      await page.locator('#upload button').click()
      await page.locator('#uploaded', { hasText: 'a b.txt 3000' }).waitFor()
      await page.setInputFiles('#upload [name=picture]', {
        name: 'big.bin',
        mimeType: '',
        buffer: Buffer.alloc(300_000),
      })
      const refused = page.waitForResponse((response) => response.request().method() === 'POST')
      await page.locator('#upload button').click()
      expect((await refused).status()).toBe(413)
      await page.locator('#uploaded', { hasText: 'too large: 29' }).waitFor()
      await page.fill('#sign-in [name=user]', 'ida')
      await page.locator('#sign-in button').click()
      await page.waitForURL('**/headers')
      expect(await page.context().cookies()).toContainEqual(expect.objectContaining({ name: 'session', value: 'ida' }))
      await page.goto(`${baseUrl()}/counter`)
      await hydrated(page, '#fail')
      await page.locator('#fail button').click()
      await page.getByText('Application error').first().waitFor()
      expect(await page.content()).not.toContain('secret-of-the-action')
      await close()
    })
  })
}
