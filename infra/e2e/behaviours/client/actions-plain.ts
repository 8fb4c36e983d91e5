// What a client sees of forms without JavaScript, and of forms that were sent before.

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { APIResponse, Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../harness/chromium.ts'
import { connectChromium } from '../../harness/shared.ts'
import { createActionPages } from './actions-site.ts'

/** Registers the tests; they need the fixture's pages. */
export function describePlainActions(where: string, baseUrl: () => string): void {
  let browser: Browser
  const { readNotes, countOf, unique, open } = createActionPages(baseUrl, () => browser)

  beforeAll(async () => {
    browser = await connectChromium()
  })
  afterAll(() => browser?.close())

  describe(`actions ${where}: without JavaScript`, () => {
    const PLAIN = { javaScriptEnabled: false }

    test('A5 runs a form of a cacheable page once per double click, and again when it is sent on purpose', async () => {
      const { page, close } = await open('/counter', '#count', PLAIN)
      const before = (await readNotes('')).counters.count
      const counted = (times: number) => page.locator('#counted', { hasText: String(before + times) }).waitFor()
      // The first response sets the client's cookie.
      await page.locator('#count button').click()
      await counted(1)
      await page.goto(`${baseUrl()}/counter`)
      await page.fill('#count [name=waitMs]', '300')
      await page.locator('#count button').dblclick()
      await counted(2)
      expect((await readNotes('')).counters.count).toBe(before + 2)
      await page.goto(`${baseUrl()}/counter`)
      await page.fill('#count [name=waitMs]', '300')
      await page.locator('#count button').click()
      await counted(3)
      expect((await readNotes('')).counters.count).toBe(before + 3)
      await close()
    })

    testAtLength('A5 runs equal forms of a page that a cache in front keeps, one for each visit', async () => {
      const path = '/leave?keep=public,s-maxage=60'
      const { page, close } = await openPage(browser, PLAIN)
      let kept: APIResponse | undefined
      await page.route(`**${path}`, async (route) => {
        if (route.request().method() === 'POST') return route.continue()
        kept ??= await route.fetch()
        await route.fulfill({ response: kept })
      })
      const text = unique()
      for (let visit = 1; visit <= 3; visit++) {
        await page.goto(baseUrl() + path)
        await page.fill('#leave [name=text]', text)
        await page.locator('#leave button').click()
        await page.waitForURL('**/about')
        expect(await countOf('board', text)).toBe(visit)
      }
      await close()
    })

    testAtLength(
      'A5 two clients of one address and browser who send the same cached page with equal fields are two runs',
      async () => {
        const before = (await readNotes('')).counters.count
        const clients = await Promise.all([1, 2].map(() => open('/counter', '#count', PLAIN)))
        for (const { page } of clients) await page.fill('#count [name=waitMs]', '200')
        await Promise.all(clients.map(({ page }) => page.locator('#count button').click()))
        for (const { page } of clients) await page.locator('#counted', { hasText: /\d/ }).waitFor()
        expect((await readNotes('')).counters.count).toBe(before + 2)
        for (const { close } of clients) await close()
      },
    )

    testAtLength(
      'A7 a form that is too large gets a screen with size and limit, and going back shows what was typed',
      async () => {
        const { page, close } = await open('/contact', 'form', PLAIN)
        const typed = 'x'.repeat(40_000)
        await page.locator('#letter').evaluate((field: HTMLTextAreaElement, value) => {
          field.value = value
        }, typed)
        await page.locator('form button').click()
        await page.getByText('The content is too large: 39.').waitFor()
        await page.goBack()
        await expect.poll(async () => (await page.inputValue('#letter')).length).toBe(typed.length)
        await close()
      },
    )

    testAtLength('A3 shows the issue of a field and keeps what was typed', async () => {
      const { page, close } = await open('/things/7', 'form', PLAIN)
      const text = 'more than twenty characters'
      await page.fill('#text', text)
      await page.locator('form button').click()
      await page.locator('[role=status]', { hasText: 'At most 20 characters.' }).waitFor()
      expect(await page.inputValue('#text')).toBe(text)
      const short = unique()
      await page.fill('#text', short)
      await page.locator('form button').click()
      await page.locator('[role=status]', { hasText: `Saved: ${short}` }).waitFor()
      expect([await countOf('thing:7', text), await countOf('thing:7', short)]).toEqual([0, 1])
      await close()
    })

    test('A1 runs an action with bound arguments, takes a file and follows a redirect with its cookie', async () => {
      const { page, close } = await open('/board', '#pin', PLAIN)
      const text = unique()
      await page.fill('#pin [name=text]', text)
      await page.locator('#pin button').click()
      await page.locator('#notes li', { hasText: text }).waitFor()
      await page.getByLabel(`Take ${text} down`).click()
      await page.locator('#notes li', { hasText: text }).waitFor({ state: 'detached' })
      expect(await countOf('board', text)).toBe(0)
      await page.goto(`${baseUrl()}/counter`)
      await page.setInputFiles('#upload [name=picture]', {
        name: 'a.txt',
        mimeType: 'text/plain',
        buffer: Buffer.alloc(3000),
      })
      await page.locator('#upload button').click()
      await page.locator('#uploaded', { hasText: 'a.txt 3000' }).waitFor()
      await page.fill('#sign-in [name=user]', 'ole')
      await page.locator('#sign-in button').click()
      await page.waitForURL('**/headers')
      expect(await page.context().cookies()).toContainEqual(expect.objectContaining({ name: 'session', value: 'ole' }))
      await close()
    })

    testAtLength('E4 shows the screen of a fault with its digest and nothing of its cause', async () => {
      const { page, close } = await open('/counter', '#fail', PLAIN)
      const posted = page.waitForResponse((response) => response.request().method() === 'POST')
      await page.locator('#fail button').click()
      expect((await posted).status()).toBe(500)
      await page.getByText(/Digest: [0-9a-f]{10}/).waitFor()
      expect(await page.content()).not.toContain('secret-of-the-action')
      await close()
    })
  })

  describe(`actions ${where}: back to a form that was sent`, () => {
    let keeping: Browser
    beforeAll(async () => {
      keeping = await connectChromium({ keepsPages: true })
    })
    afterAll(() => keeping?.close())

    test.each([
      ['with', true],
      ['without', false],
    ])('A5 %s JavaScript an edited form is another submission', async (_word, javaScriptEnabled) => {
      const { page, close } = await openPage(keeping, { javaScriptEnabled })
      await page.goto(`${baseUrl()}/leave`)
      if (javaScriptEnabled) await hydrated(page, '#leave')
      const [first, second] = [unique(), unique()]
      const leaveWith = async (text: string) => {
        await page.fill('#leave [name=text]', text)
        await page.locator('#leave button').click()
        await page.waitForURL('**/about')
      }
      const keyOf = () => page.locator('#leave [name="$portico_key"]').getAttribute('value')
      const key = await keyOf()
      await leaveWith(first)
      await page.goBack({ waitUntil: 'commit' })
      await page.waitForURL('**/leave', { waitUntil: 'commit' })
      if (!javaScriptEnabled) {
        // The same document, with what was typed and the key that was rendered into it.
        await expect.poll(() => page.inputValue('#leave [name=text]')).toBe(first)
        expect(await keyOf()).toBe(key)
        // Sent again as it was: the same submission.
        await page.locator('#leave button').click()
        await page.waitForURL('**/about')
        expect(await countOf('board', first)).toBe(1)
        await page.goBack({ waitUntil: 'commit' })
        await page.waitForURL('**/leave', { waitUntil: 'commit' })
      } else await hydrated(page, '#leave')
      await leaveWith(second)
      expect([await countOf('board', first), await countOf('board', second)]).toEqual([1, 1])
      await close()
    })
  })
}
