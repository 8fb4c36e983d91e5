// The documentation as a reader uses it: searched with and without JavaScript, and printed.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import type { JourneyTarget } from './target.ts'

/** Paper of A4 without its margins, at 96 dots an inch. */
const PAPER = { width: 672, height: 987 }

export function describeDocs({ baseUrl, browser, isWhole }: JourneyTarget): void {
  const open = async (path: string, options: Parameters<typeof openPage>[1] = {}) => {
    const watched = await openPage(browser(), options)
    await watched.page.goto(baseUrl() + path)
    if (options.javaScriptEnabled !== false) await hydrated(watched.page, 'main')
    return watched
  }
  const field = (page: Page) => page.getByLabel('Search the docs')
  const hits = (page: Page) => page.locator('[data-hits] > li')
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

  describe('the documentation', () => {
    test('N2 is searched from any of its pages, while typing, by arrow keys, and back again', async () => {
      const { page, documents, faults, close } = await open('/docs/actions')
      await field(page).fill('revalidate')
      await page.keyboard.press('Enter')
      await page.waitForURL(`${baseUrl()}/docs/search?q=revalidate`)
      await page.getByRole('status').filter({ hasText: '“revalidate”' }).waitFor()
      await expect.poll(() => hits(page).first().locator('mark').first().textContent()).toMatch(/^revalidate/i)

      await field(page).fill('zeppelin')
      await page.getByRole('status').filter({ hasText: 'Nothing' }).waitFor()
      await field(page).fill('submission runs once')
      await page.waitForURL(`${baseUrl()}/docs/search?q=submission%20runs%20once`)
      await hits(page).first().waitFor()
      await field(page).focus()
      await page.keyboard.press('ArrowDown')
      const first = (await hits(page).first().locator('a').textContent()) ?? ''
      await expect.poll(() => focused(page)).toBe(first)
      await page.keyboard.press('ArrowUp')
      await expect.poll(() => field(page).evaluate((input) => input === document.activeElement)).toBe(true)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/docs\/[a-z-]+(#[a-z-]+)?$/)
      const { hash } = new URL(page.url())
      if (hash) await page.locator(hash).waitFor()

      await page.evaluate(() => history.back())
      await page.getByRole('status').filter({ hasText: '“submission runs once”' }).waitFor()
      await expect.poll(() => field(page).inputValue()).toBe('submission runs once')
      expect(documents).toHaveLength(1)
      expect(faults).toEqual([])
      await close()
    })

    test('F3 lists its pages by group, and the open list on a phone leaves the text in sight', async () => {
      const { page, close } = await open('/docs/actions', { viewport: { width: 390, height: 844 } })
      const menu = page.getByRole('navigation', { name: 'Documentation', exact: true })
      await page.locator('summary', { hasText: 'Documentation' }).click()
      await menu.getByRole('heading', { name: 'Data and forms' }).waitFor()
      await expect.poll(() => menu.getByRole('heading').count()).toBe(8)
      const list = menu.getByRole('list', { name: 'Data and forms' })
      await expect.poll(() => list.locator('[aria-current="page"]').textContent()).toBe('Actions')
      await expect
        .poll(() => page.locator('h1').evaluate((title) => title.getBoundingClientRect().bottom))
        .toBeLessThan(844)
      expect(await page.evaluate(() => scrollY)).toBe(0)
      await close()
    })

    test('N2 lists the row of a setting first, and leads to the row', async () => {
      const { page, close } = await open('/docs/search?q=TRUSTED_PROXIES', { javaScriptEnabled: false })
      await hits(page).first().locator('a[href="/docs/settings#TRUSTED_PROXIES"]').click()
      await page.locator('tr:target', { hasText: 'TRUSTED_PROXIES' }).waitFor()
      await close()
    })

    if (isWhole) {
      test('N2 is searched without JavaScript, and leads to the place in the page', async () => {
        const { page, close } = await open('/docs', { javaScriptEnabled: false })
        await field(page).fill('fallback blocking')
        await page.getByRole('button', { name: 'Search' }).click()
        await page.waitForURL(/\?q=fallback\+blocking$/)
        const link = hits(page).locator('a[href="/docs/page-data#for-everybody"]')
        await expect.poll(() => hits(page).locator('mark').allTextContents()).toContain('fallback')
        await link.click()
        await page.waitForURL(`${baseUrl()}/docs/page-data#for-everybody`)
        await close()
      })

      test('F3 shows the current page in a list that is longer than the window, and does not move the window', async () => {
        const { page, close } = await open('/docs/changelog', { viewport: { width: 1440, height: 700 } })
        const current = page
          .getByRole('navigation', { name: 'Documentation', exact: true })
          .locator('[aria-current]:visible')
        const isSeen = () =>
          current.evaluate((link) => {
            const { top, bottom } = link.getBoundingClientRect()
            return top > 0 && bottom < innerHeight
          })
        await expect.poll(isSeen).toBe(true)
        await page.getByRole('link', { name: 'Getting started', exact: true }).first().click()
        await page.waitForURL(`${baseUrl()}/docs/getting-started`)
        await expect.poll(() => current.textContent()).toBe('Getting started')
        await expect.poll(isSeen).toBe(true)
        expect(await page.evaluate(() => scrollY)).toBe(0)
        await close()
      })

      test('F3 cuts no table at any width', async () => {
        const { page, close } = await open('/docs', { javaScriptEnabled: false })
        const links = page.locator('main nav a[href^="/docs"]')
        const paths = new Set(
          await links.evaluateAll((all) => all.map((link) => new URL((link as HTMLAnchorElement).href).pathname)),
        )
        expect(paths.size).toBeGreaterThan(10)
        for (const path of paths) {
          await page.goto(baseUrl() + path)
          for (const width of [390, 768, 1440]) {
            await page.setViewportSize({ width, height: 900 })
            expect(await page.locator('main table').evaluateAll(findCut), `${path} at ${width} px`).toEqual([])
          }
        }
        await close()
      })
    }

    for (const colorScheme of isWhole ? (['light', 'dark'] as const) : (['dark'] as const))
      test(`F3 is printed black on white, whole, and without what only a screen can do (${colorScheme})`, async () => {
        const { page, close } = await open('/docs/heads-and-motion', { viewport: PAPER, colorScheme })
        await page.emulateMedia({ media: 'print' })
        for (const screenOnly of ['header nav', 'footer', 'main nav', 'main form'])
          for (const element of await page.locator(screenOnly).all())
            expect(await element.isVisible(), screenOnly).toBe(false)
        const printed = await page.evaluate(readPrint)
        expect(printed.background).toBe('rgb(255, 255, 255)')
        expect([...new Set(printed.colours)].map(darkness)).toSatisfy((values: number[]) =>
          values.every((value) => value <= 0x44),
        )
        expect(printed.cut).toEqual([])
        await page.goto(`${baseUrl()}/docs/images`)
        const address = await page
          .locator('main p a[href="/docs/images-at-scale"]')
          .evaluate((link) => getComputedStyle(link, '::after').content)
        expect(address.replaceAll('"', '').replaceAll(' ', '')).toContain('/docs/images-at-scale')
        await close()
      })
  })
}

/** Runs in the page: tables that are wider than their container, by their first words. */
function findCut(tables: Element[]): string[] {
  return tables
    .filter((table) => table.scrollWidth > (table.parentElement?.clientWidth ?? 0) + 1)
    .map((table) => table.textContent.slice(0, 60))
}

/** Runs in the page: the colours of its words, and code that the paper's edge would cut. */
function readPrint() {
  const words = [...document.querySelectorAll<HTMLElement>('main :is(h1, h2, p, li, a, code, pre span, td)')]
  return {
    background: getComputedStyle(document.documentElement).backgroundColor,
    colours: words.map((element) => getComputedStyle(element).color),
    cut: [...document.querySelectorAll<HTMLElement>('main :is(pre, table)')]
      .filter(
        (element) =>
          element.scrollWidth > element.clientWidth + 1 || element.getBoundingClientRect().right > innerWidth,
      )
      .map((element) => element.textContent.slice(0, 60)),
  }
}

/** The lightest channel of `rgb(…)`. */
function darkness(colour: string): number {
  return Math.max(...(colour.match(/\d+(\.\d+)?/g) ?? []).slice(0, 3).map(Number))
}
