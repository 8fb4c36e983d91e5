// Postcards of the sample site in Chromium: an image is shown before it is sent, a card is taken down and hung up
// again.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../../../checks/sources.ts'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import { connectChromium } from '../../../harness/shared.ts'

const PLACE = '/places/asurai'
const MEGABYTE = 1024 * 1024

const unique = () => `card-${Math.random().toString(36).slice(2, 10)}`
const fileOf = (buffer: Buffer, name = 'view.png') => ({ name, mimeType: 'image/png', buffer })
const sampleImage = () => readFileSync(join(root, 'infra/e2e/sites/fixture/public/pictures/sample.png'))

/** Registers the tests; the sample site must run at the address. */
export function describePostcardsInBrowser(where: string, baseUrl: () => string): void {
  let browser: Browser

  const open = async (javaScriptEnabled = true, place = PLACE) => {
    // Less motion, and no less time: the offer to undo is timed by an animation.
    const opened = await openPage(browser, { javaScriptEnabled, reducedMotion: 'reduce' })
    await opened.page.goto(baseUrl() + place)
    if (javaScriptEnabled) await hydrated(opened.page, 'form:has([name="message"])')
    return opened
  }
  const cardOf = (page: Page, message: string) => page.locator('li', { hasText: message })
  const fill = async (page: Page, message: string, file?: ReturnType<typeof fileOf>) => {
    await page.locator('[name="message"]').fill(message)
    await page.locator('[name="name"]').fill('Ida')
    if (file) await page.locator('[name="picture"]').setInputFiles(file)
  }
  const submit = (page: Page) => page.getByRole('button', { name: 'Send the postcard' }).click()
  const widthOf = (page: Page, message: string) =>
    cardOf(page, message)
      .locator('img')
      .evaluate((image) => (image as HTMLImageElement).naturalWidth)
  const removed = (page: Page) => page.locator('li', { hasText: 'Your postcard was taken down.' })
  /** Lets the ten seconds pass that the style sheet counts. */
  const letTimePass = (page: Page) =>
    page.evaluate(() => {
      for (const animation of document.getAnimations()) animation.finish()
    })

  describe(`postcards ${where}, in Chromium`, () => {
    beforeAll(async () => {
      browser = await connectChromium()
    })
    afterAll(() => browser?.close())

    test('A1 shows an image when it is chosen, immediately on the card, and then as the site serves it', async () => {
      const { page, faults, documents, close } = await open()
      const message = unique()
      await fill(page, message, fileOf(sampleImage()))
      await page.getByAltText('The one you chose').waitFor()
      let response = () => {}
      const held = new Promise<void>((done) => {
        response = done
      })
      await page.route('**/places/*', async (route) => {
        if (route.request().method() === 'POST') await held
        await route.continue()
      })
      await submit(page)
      const card = cardOf(page, message)
      await card.getByText('on its way').waitFor()
      expect(await card.locator('img').getAttribute('src')).toMatch(/^blob:/)
      response()
      await page.getByText('Thank you, Ida.').waitFor()
      await expect
        .poll(() => card.locator('img').getAttribute('src'))
        .toContain('/_portico/image?url=%2Fapi%2Fpictures%2F')
      await expect.poll(() => widthOf(page, message)).toBeGreaterThan(0)
      await expect.poll(() => page.getByAltText('The one you chose').count()).toBe(0)
      await expect.poll(() => page.locator('[name="picture"]').inputValue()).toBe('')
      expect([documents.length, faults]).toEqual([1, []])
      await close()
    })

    testAtLength('A7 rejects an image that is too large before it is sent, and omits it', async () => {
      const { page, faults, close } = await open()
      const posts: string[] = []
      page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
      await fill(page, unique(), fileOf(Buffer.alloc(6 * MEGABYTE)))
      await page.getByText('This picture has 6 MB; a postcard takes 5 MB at most.').waitFor()
      await expect.poll(() => page.locator('[name="picture"]').inputValue()).toBe('')
      expect([posts, faults]).toEqual([[], []])
      await close()
    })

    testAtLength(
      'A3 rejects a file that is no image, next to the field; words and file stay until another file is chosen',
      async () => {
        const { page, close } = await open()
        const message = unique()
        const note = page.getByText('please choose a JPEG, PNG or WebP file')
        await fill(page, message, fileOf(Buffer.from('GIF89a'), 'kept.gif'))
        await submit(page)
        await note.waitFor()
        expect(await page.locator('[name="message"]').inputValue()).toBe(message)
        expect(await page.locator('[name="picture"]').inputValue()).toContain('kept.gif')
        await page.locator('[name="picture"]').setInputFiles(fileOf(sampleImage()))
        await expect.poll(() => note.count()).toBe(0)
        await submit(page)
        await expect.poll(() => widthOf(page, message)).toBeGreaterThan(0)
        await close()
      },
    )

    testAtLength(
      'A1 takes a card down immediately and hangs it up again, with the focus on the next card',
      async () => {
        const { page, faults, documents, close } = await open()
        const message = unique()
        await fill(page, message)
        await submit(page)
        const card = cardOf(page, message)
        await card.getByRole('button', { name: 'Take it down' }).click()
        await removed(page).waitFor()
        await expect.poll(() => card.count()).toBe(0)
        const focus = () => page.evaluate(() => document.activeElement?.textContent)
        await expect.poll(focus).toBe('Undo')
        const times = removed(page).evaluate((element) =>
          element.getAnimations({ subtree: true }).map(({ effect }) => effect?.getTiming().duration),
        )
        expect(await times).toEqual([10_000, 10_000])
        await removed(page).getByRole('button', { name: 'Undo' }).click()
        await card.waitFor()
        await expect.poll(focus).toBe('Take it down')

        await card.getByRole('button', { name: 'Take it down' }).click()
        await removed(page).waitFor()
        await letTimePass(page)
        await expect.poll(() => removed(page).count()).toBe(0)
        await page.reload()
        expect(await card.count()).toBe(0)
        expect([documents.length, faults]).toEqual([2, []])
        await close()
      },
    )

    testAtLength('A5 has a card whose response was lost once in the rack when it is sent again', async () => {
      const { page, close } = await open()
      const message = `${unique()}${'M'.repeat(200)}`
      await fill(page, message)
      await page.locator('[name="name"]').fill('N'.repeat(40))
      let isLost = true
      await page.route('**/places/*', async (route) => {
        if (route.request().method() !== 'POST' || !isLost) return route.continue()
        isLost = false
        // The server has run it; the response is the page of a proxy.
        await route.fetch()
        await route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Sign in to the network</h1>' })
      })
      await submit(page)
      await page.getByText('The postcard was not sent.').waitFor()
      expect(await page.locator('[name="message"]').inputValue()).toBe(message)
      await submit(page)
      await page.getByText('Thank you, NNN').waitFor()
      await expect.poll(() => cardOf(page, message).count()).toBe(1)
      // However long its words are, the page is no wider than the window.
      await page.setViewportSize({ width: 320, height: 640 })
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
      await close()
    })

    testAtLength('A1 the rack says that it is empty when the last card is removed', async () => {
      const { page, faults, close } = await open(true, `/places/ostrel`)
      const empty = page.getByText('The rack is empty.')
      await empty.waitFor()
      const message = unique()
      await fill(page, message)
      await submit(page)
      await cardOf(page, message).getByRole('button', { name: 'Take it down' }).click()
      await removed(page).waitFor()
      expect(await empty.count()).toBe(0)
      await letTimePass(page)
      await empty.waitFor()
      await expect.poll(() => page.getByRole('list', { name: 'Postcards, newest first' }).count()).toBe(0)
      expect(faults).toEqual([])
      await close()
    })

    test('A1 shows another client a card and its image, and no button to take it down', async () => {
      const writer = await open()
      const message = unique()
      await fill(writer.page, message, fileOf(sampleImage()))
      await submit(writer.page)
      await cardOf(writer.page, message).getByRole('button', { name: 'Take it down' }).waitFor()
      const other = await open()
      const card = cardOf(other.page, message)
      await card.scrollIntoViewIfNeeded()
      await expect.poll(() => widthOf(other.page, message)).toBeGreaterThan(0)
      expect(await card.getByRole('button').count()).toBe(0)
      await Promise.all([writer.close(), other.close()])
    })

    testAtLength('A1 all of it works without JavaScript, and the offer to undo goes by itself', async () => {
      const { page, close } = await open(false)
      const message = unique()
      await fill(page, message, fileOf(Buffer.from('no picture')))
      await submit(page)
      await page.getByText('please choose a JPEG, PNG or WebP file').waitFor()
      expect(await page.locator('[name="message"]').inputValue()).toBe(message)
      await page.locator('[name="picture"]').setInputFiles(fileOf(sampleImage()))
      await submit(page)
      await page.getByText('Thank you, Ida.').waitFor()
      await cardOf(page, message).scrollIntoViewIfNeeded()
      await expect.poll(() => widthOf(page, message)).toBeGreaterThan(0)
      await cardOf(page, message).getByRole('button', { name: 'Take it down' }).click()
      await removed(page).waitFor()
      await removed(page).getByRole('button', { name: 'Undo' }).click()
      await cardOf(page, message).getByRole('button', { name: 'Take it down' }).click()
      await removed(page).waitFor()
      await letTimePass(page)
      await removed(page).waitFor({ state: 'hidden' })
      expect(await cardOf(page, message).count()).toBe(0)
      await close()
    })
  })
}
