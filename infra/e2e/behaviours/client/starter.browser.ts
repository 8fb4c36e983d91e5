// A site as `create-portico` makes it, in Chromium: navigated on a phone, in light and dark, and its form used.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../harness/chromium.ts'
import { type EmbeddedStack, startEmbedded } from '../../harness/embedded-stack.ts'
import { copyApp, makeFolder, type TemporaryFolder } from '../../harness/processes.ts'
import { buildApp } from '../../harness/replicas.ts'
import { connectChromium } from '../../harness/shared.ts'
import { STARTER } from '../../sites/sites.ts'
import { faultsOf } from './journeys/accessibility.ts'

const PHONE = { width: 390, height: 844 }

let stack: EmbeddedStack
let browser: Browser
let folder: TemporaryFolder

beforeAll(async () => {
  folder = await makeFolder('starter')
  await copyApp(STARTER.appDir, folder.path)
  await buildApp(folder.path)
  stack = await startEmbedded({ appDir: folder.path })
  browser = await connectChromium()
})

afterAll(async () => {
  await browser?.close()
  await stack?.stop()
  await folder?.remove()
})

/** Faults of the current page, in both colour schemes. */
async function expectNoFaults(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await faultsOf(page), `${page.url()} in ${colorScheme}`).toEqual([])
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth), page.url()).toBeLessThanOrEqual(PHONE.width)
}

describe('a new site', () => {
  test('N1 N3 leads from page to page without loading a document, and axe-core finds no fault in any', async () => {
    const { page, faults, documents, close } = await openPage(browser, { viewport: PHONE })
    await page.goto(stack.baseUrl)
    await hydrated(page, 'main')
    await expectNoFaults(page)
    for (const name of ['A page is a file', 'A picture for every screen', 'Guestbook']) {
      await page.getByRole('link', { name }).first().click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await expectNoFaults(page)
    }
    expect(documents).toHaveLength(1)
    expect(faults).toEqual([])
    await page.goto(`${stack.baseUrl}/nope`)
    await expectNoFaults(page)
    await close()
  })

  test('F3 utilities of Tailwind win over the styles of the site', async () => {
    const { page, close } = await openPage(browser)
    await page.goto(stack.baseUrl)
    const size = await page.locator('h1').evaluate((element) => {
      const utilities = new CSSStyleSheet()
      utilities.replaceSync(
        '@layer theme, base, components, utilities; @layer utilities { .text-sm { font-size: 14px } }',
      )
      document.adoptedStyleSheets = [utilities]
      element.setAttribute('class', 'text-sm')
      return getComputedStyle(element).fontSize
    })
    expect(size).toBe('14px')
    await close()
  })

  test('A1 A3 shows next to each field what was refused, keeps what was typed, and shows what was written', async () => {
    const { page, documents, close } = await openPage(browser)
    await page.goto(`${stack.baseUrl}/guestbook`)
    await hydrated(page, 'form')
    const line = `Fog until noon ${Math.random().toString(36).slice(2, 10)}`
    await page.getByLabel('A line or two').fill(line)
    await page.getByRole('button', { name: 'Sign' }).click()
    await page.getByText('Please write your name.').waitFor()
    expect(await page.getByLabel('A line or two').inputValue()).toBe(line)
    expect(await faultsOf(page)).toEqual([])
    await page.getByLabel('Your name').fill('Ida')
    await page.getByRole('button', { name: 'Sign' }).click()
    await page.getByText('Thank you, Ida.').waitFor()
    await page.getByRole('listitem').filter({ hasText: line }).waitFor()
    expect(documents).toHaveLength(1)
    await close()
  })
})
