// The suite of `next/script`.

import { expect } from 'vitest'
import type { Behaviour, BrowserSite, HttpSite } from '../../harness/behaviour.ts'
import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'

const SITE = '/script-loader'
const configuration = 'with-app'

function http(number: number, does: string, run: (site: HttpSite) => Promise<void>): Behaviour {
  return { id: `script-loader-${number}`, does, via: 'http', configuration, run }
}

function browser(number: number, does: string, run: (site: BrowserSite) => Promise<void>): Behaviour {
  return { id: `script-loader-${number}`, does, via: 'browser', configuration, run }
}

/** A script of next/script that follows the data of the page. */
async function isAtEnd({ page, patience }: BrowserSite, id: string): Promise<void> {
  await expect.poll(() => page.locator(`#__NEXT_DATA__ ~ #${id}[data-nscript]`).count(), patience).toBe(1)
}

const textOf = ({ page }: BrowserSite, selector: string) => page.locator(selector).textContent()
const globalOf = ({ page }: BrowserSite, name: string) => page.evaluate((key) => Reflect.get(window, key), name)
/** Longer than a script takes that was begun. */
const wait = ({ page }: BrowserSite) => page.evaluate(() => new Promise((done) => setTimeout(done, 250)))

async function follow({ page }: BrowserSite, name: string, title: string): Promise<void> {
  await page.click(`a[href="${SITE}${name && `/${name}`}"]`)
  await page.locator('h1').getByText(title, { exact: true }).waitFor()
}

/** The element is in the HTML once, before the scripts of the framework. */
async function isBeforeFramework(site: HttpSite, path: string, id: string): Promise<void> {
  const html = await site.text(path)
  expect(html.split(`id="${id}"`)).toHaveLength(2)
  expect(html).toMatch(new RegExp(`<script[^>]*\\sid="${id}"[^>]*data-nscript|data-nscript[^>]*\\sid="${id}"`))
  expect(html.indexOf(`id="${id}"`)).toBeLessThan(html.search(/<script[^>]*\ssrc="[^"]*\/(_next|_portico)\//))
}

export const scriptLoader: Suite = {
  name: 'script-loader',
  source: upstream('test/integration/script-loader/test/index.test.js'),
  // Without two calls of a local function of this name.
  tests: 12,
  rows: { 10: notApplicable('workers of Partytown, an experiment of Next.js') },
  behaviours: [
    browser(1, 'puts the scripts of a page and of the app behind the data of the page', async (site) => {
      await site.open(SITE, 'main')
      for (const id of ['of-page', 'of-app']) await isAtEnd(site, id)
    }),
    browser(2, 'loads lazy scripts with their stylesheets, and runs inline ones', async (site) => {
      await site.open(`${SITE}/later`, 'main')
      for (const id of ['of-page-later', 'of-app-later']) await isAtEnd(site, id)
      await expect.poll(() => site.page.locator('#made').count(), site.patience).toBe(1)
      await expect.poll(() => site.page.locator(`link[href="${SITE}/extra.css"]`).count(), site.patience).toBe(1)
      await expect.poll(() => site.page.locator('body[data-failed]').count(), site.patience).toBe(1)
      expect(site.faults.filter((fault) => !/404|missing\.js/.test(fault))).toEqual([])
    }),
    http(3, 'has an early script of the document before those of the framework', (site) => isBeforeFramework(site, SITE, 'of-document')),
    http(4, 'has an early script of a page before those of the framework', (site) => isBeforeFramework(site, `${SITE}/early`, 'of-page-early')),
    browser(5, 'has each early script of the document once, also after a navigation', async (site) => {
      const count = () => site.page.locator('script[src*="of-document"]').count()
      await site.open(SITE, 'main')
      expect(await count()).toBe(2)
      await follow(site, 'plain', 'Plain')
      expect(await count()).toBe(2)
    }),
    browser(6, 'calls onLoad of each script, and not again when the page is shown again', async (site) => {
      await site.open(`${SITE}/loads`, 'main')
      await expect.poll(() => textOf(site, '#loaded'), site.patience).toBe('aaabbbccc')
      await follow(site, 'plain', 'Plain')
      await follow(site, 'loads', 'Loads')
      await wait(site)
      expect(await textOf(site, '#loaded')).toBe('')
    }),
    http(7, 'has an early inline script of the document once, before the stylesheets', async (site) => {
      const html = await site.text(SITE)
      expect(html.split('id="text-of-document"')).toHaveLength(2)
      const stylesheet = html.search(/<link[^>]*rel="stylesheet"/)
      expect(stylesheet).toBeGreaterThan(html.indexOf('id="text-of-document"'))
    }),
    browser(8, 'runs an early inline script of a page once', async (site) => {
      await site.open(`${SITE}/early`, 'main')
      await wait(site)
      expect(await globalOf(site, 'textRuns')).toBe(1)
    }),
    browser(9, 'runs an inline script once, also when its page is shown again', async (site) => {
      await site.open(SITE, 'main')
      await follow(site, 'writes', 'Writes')
      await follow(site, '', 'Scripts')
      await follow(site, 'writes', 'Writes')
      await wait(site)
      expect(await textOf(site, '#written')).toBe('once')
    }),
    browser(11, 'calls onReady after the script was loaded, and whenever the page is shown again', async (site) => {
      await site.open(`${SITE}/ready`, 'main')
      await expect.poll(() => textOf(site, '#ready'), site.patience).toBe('aaa')
      await follow(site, 'plain', 'Plain')
      await follow(site, 'ready', 'Ready')
      await expect.poll(() => textOf(site, '#ready'), site.patience).toBe('aaa')
    }),
    browser(12, 'calls onReady once for a script that is shown once', async (site) => {
      await site.open(`${SITE}/once`, 'main')
      const calls = () => site.page.evaluate(() => document.body.dataset.calls)
      await expect.poll(calls, site.patience).toContain('file')
      await wait(site)
      expect(JSON.parse((await calls()) ?? '')).toEqual({ file: 1, text: 1 })
    }),
  ],
}
