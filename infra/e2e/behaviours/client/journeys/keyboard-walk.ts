// The site by Tab, Enter and typing alone: every stop can be seen, and nothing needs a mouse.

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import { createKeyboard } from './keyboard.ts'
import type { JourneyTarget } from './target.ts'

export function describeKeyboardWalk({ baseUrl, browser, isWhole }: JourneyTarget): void {
  const open = async (path: string, width: number, options: BrowserContextOptions = {}) => {
    const looks = { viewport: { width, height: 900 }, reducedMotion: 'reduce' as const, ...options }
    const watched = await openPage(browser(), looks)
    await watched.page.goto(baseUrl() + path)
    await hydrated(watched.page, 'main')
    return { ...watched, keyboard: createKeyboard(watched.page) }
  }

  describe('by keyboard alone', () => {
    test('N3 skips to the content, and navigates to a collection, a place, and back', async () => {
      const { page, keyboard, documents, faults, close } = await open('/', 1440)
      await keyboard.tabTo('Skip to the content')
      await page.keyboard.press('Enter')
      // From here the header is behind.
      await keyboard.tabTo('Plate', { within: 1 })

      await keyboard.follow('The North')
      await keyboard.arriveAt('The North')
      await keyboard.follow('Skarnvik')
      await keyboard.arriveAt('Skarnvik')

      // The browser's own key for it, which a browser without a window does not know.
      await page.goBack()
      await keyboard.arriveAt('The North')
      expect(documents).toHaveLength(1)
      expect(faults).toEqual([])
      await close()
    })

    test('A1 N3 writes a postcard and sends it', async () => {
      const { page, keyboard, documents, faults, close } = await open('/places/skarnvik', 1440)
      const words = `Typed only ${Math.random().toString(36).slice(2, 10)}`
      await keyboard.tabTo('Message')
      await page.keyboard.type(words)
      await keyboard.tabTo('Your name')
      await page.keyboard.type('Ida')
      await keyboard.follow('Send the postcard')
      await page.locator('main li:not([aria-busy="true"])', { hasText: words }).waitFor()
      await page.getByRole('status').filter({ hasText: 'Thank you, Ida' }).waitFor()
      // The keyboard continues from there, not from the top of the page.
      await keyboard.expectFocus('Send the postcard')
      await page.keyboard.press('Shift+Tab')
      await keyboard.expectFocus('Your name')
      expect(documents).toHaveLength(1)
      expect(faults).toEqual([])
      await close()
    })

    if (isWhole) {
      test('N2 N3 searches while typing, and opens a result', async () => {
        const { page, keyboard, documents, faults, close } = await open('/about', 1440)
        await keyboard.follow('Search')
        await keyboard.arriveAt('Search')
        await keyboard.tabTo('Search the atlas')
        await page.keyboard.type('fog')
        await page.getByRole('status').filter({ hasText: 'fog' }).waitFor()
        await page.keyboard.type('gy')
        await page.getByRole('status').filter({ hasText: 'foggy' }).waitFor()
        await page.keyboard.press('Backspace')
        await page.keyboard.press('Backspace')
        await page.getByRole('status').filter({ hasText: '“fog”' }).waitFor()
        await page.keyboard.press('Enter')
        await keyboard.expectFocus('Search the atlas')

        const name = (await page.locator('main article h2 a').first().textContent()) ?? ''
        await keyboard.follow(name)
        await keyboard.arriveAt(name)
        expect(documents).toHaveLength(1)
        expect(faults).toEqual([])
        await close()
      })

      test('N2 N3 searches by a word that is offered, and shows in the field what the address says, there and back', async () => {
        // In the client's own colours too it is seen where one is.
        const { page, keyboard, faults, close } = await open('/search', 1440, { forcedColors: 'active' })
        const search = page.getByRole('searchbox')
        await keyboard.follow('kettle')
        await page.getByRole('status').filter({ hasText: '“kettle”' }).waitFor()
        // The link is removed, and the focus with it.
        await keyboard.arriveAt('Search')
        await expect.poll(() => search.inputValue()).toBe('kettle')
        await keyboard.tabTo('Search the atlas')
        await page.keyboard.type('fog')
        await page.keyboard.press('Enter')
        await page.getByRole('status').filter({ hasText: '“fog”' }).waitFor()
        await page.goBack()
        await expect.poll(() => search.inputValue()).toBe('kettle')
        expect(faults).toEqual([])
        await close()
      })
    }

    testAtLength(
      'N2 requests what was typed before the page was live, and nothing that was deleted again',
      async () => {
        const { page, close } = await openPage(browser())
        const search = page.getByRole('searchbox')
        const queries: string[] = []
        let free = () => {}
        const held = new Promise<void>((done) => {
          free = done
        })
        await page.route('**/*.js', async (route) => {
          await held
          await route.continue()
        })
        await page.goto(`${baseUrl()}/search`, { waitUntil: 'commit' })
        await search.pressSequentially('kett')
        await page.keyboard.press('Tab')
        free()
        await page.getByRole('status').filter({ hasText: '“kett”' }).waitFor()
        await expect.poll(() => search.inputValue()).toBe('kett')

        // The response to more letters is late, and the letters are deleted meanwhile.
        await page.route('**/_portico/data/**', async (route) => {
          const query = new URL(route.request().url()).searchParams.get('q') ?? ''
          queries.push(query)
          if (query === 'kett') await route.continue()
        })
        await search.press('End')
        // In one step each: on a busy machine the pauses between two keys are long enough for a search.
        await page.keyboard.insertText('les')
        await expect.poll(() => queries).toEqual(['kettles'])
        await search.fill('kett')
        await expect.poll(() => queries).toEqual(['kettles', 'kett'])
        await close()
      },
    )

    test('N2 navigates to the target of a link, although letters were typed just before', async () => {
      const { page, close } = await openPage(browser())
      let free = () => {}
      const held = new Promise<void>((done) => {
        free = done
      })
      await page.route('**/_portico/data/*/docs.json', async (route) => {
        await held
        await route.continue()
      })
      await page.goto(`${baseUrl()}/search`)
      const field = page.getByRole('searchbox')
      await field.fill('kett')
      await page.getByRole('status').filter({ hasText: '“kett”' }).waitFor()
      await field.evaluate((input: HTMLInputElement) => {
        input.focus()
        document.execCommand('insertText', false, 'le')
        document.querySelector<HTMLElement>('header a[href="/docs"]')?.click()
      })
      // Longer than the pause after which a search is requested.
      await page.waitForTimeout(500)
      free()
      await page.waitForURL(`${baseUrl()}/docs`)
      await close()
    })

    if (isWhole) {
      test('N3 opens the folded menu of the docs on a phone and navigates to another page', async () => {
        const { page, keyboard, documents, faults, close } = await open('/', 390)
        await keyboard.follow('Docs')
        await keyboard.arriveAt(await titleOf('/docs'))
        await keyboard.tabTo('Documentation')
        await page.keyboard.press('Enter')
        await keyboard.follow('How a request travels')
        await keyboard.arriveAt('How a request travels')
        await page.goBack()
        await keyboard.arriveAt(await titleOf('/docs'))
        expect(documents).toHaveLength(1)
        expect(faults).toEqual([])
        await close()
      })

      test('N3 shows every stop of a page with a form, and lets Tab leave each', async () => {
        for (const path of isWhole ? ['/', '/places/skarnvik'] : ['/places/skarnvik']) {
          const { keyboard, close } = await open(path, 1440)
          const stops = await keyboard.tabThrough()
          expect(stops.length, path).toBeGreaterThan(10)
          await close()
        }
      })
    }

    test('N3 finds a stop that cannot be seen', async () => {
      const { page, keyboard, close } = await open('/about', 1440)
      await page.evaluate(() => {
        document.querySelector<HTMLElement>('main a')!.style.outline = 'none'
      })
      await expect(keyboard.tabTo('documentation')).rejects.toThrow('nothing shows that')
      await close()
    })

    /** The author chooses the page's title. */
    async function titleOf(path: string): Promise<string> {
      const html = await (await fetch(baseUrl() + path)).text()
      return /<h1[^>]*>([^<]*)</.exec(html)?.[1] ?? ''
    }
  })
}
