// Draft mode in Chromium: what an action switches, the router shows.

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../../harness/http.ts'
import { connectChromium } from '../../harness/shared.ts'
import { createActionPages } from './actions-site.ts'

/** Registers the tests; they need the page /drafts of the fixture. */
export function describeDraftMode(where: string, baseUrl: () => string): void {
  let browser: Browser
  const { open } = createActionPages(baseUrl, () => browser)

  beforeAll(async () => {
    browser = await connectChromium({ keepsPages: true })
  })
  afterAll(() => browser?.close())

  test(`X13 P3 D6 an action shows drafts to its client ${where} at each navigation, and to no other client`, async () => {
    const published = async () => (await send(baseUrl(), '/drafts')).text.match(/<p id="(state|render)">[^<]+/g)
    const before = await published()
    expect(before?.[0]).toContain('>published')
    const { page, documents, faults, close } = await open('/drafts', 'form')
    const renders = new Set<string | null>()
    const shows = async (state: string) => {
      await expect.poll(() => page.textContent('#state')).toBe(state)
      renders.add(await page.textContent('#render'))
    }
    await shows('published')
    await page.getByRole('button', { name: 'Show drafts' }).click()
    await shows('draft, of a draft')
    for (let visit = 0; visit < 2; visit++) {
      await page.getByRole('link', { name: 'About' }).click()
      await page.waitForURL('**/about')
      await page.evaluate('history.back()')
      await page.locator('#render').waitFor()
      await expect.poll(async () => renders.has(await page.textContent('#render'))).toBe(false)
      await shows('draft, of a draft')
    }
    expect(await published()).toEqual(before)
    await page.getByRole('button', { name: 'Hide drafts' }).click()
    await shows('published')
    expect(await page.textContent('#render')).toBe(before?.[1]?.split('>')[1])
    expect(documents).toHaveLength(1)
    expect(faults).toEqual([])
    await close()
  })
}
