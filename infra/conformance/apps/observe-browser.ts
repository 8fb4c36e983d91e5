// What Chromium shows of a site: each page after hydration, what a click on each of its links leads to, and what follows
// the submission of each of its forms. Other hosts are replaced, so that both sites meet the same ones.

import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openPage, type WatchedPage } from '../../e2e/harness/chromium.ts'
import { createObservations, type Facts, type Observations } from './observations.ts'
import type { Routes } from './observe-http.ts'
import { describePage, fillForm, loadImages } from './page-scripts.ts'

const HYDRATION_MS = 15_000
const SETTLE_MS = 300
const SETTLE_ROUNDS = 15
const LINKS_PER_PAGE = 8
const LINKS_PER_APP = 40
/** Pages that only links lead to. */
const LINKED_PAGES = 8
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

export interface BrowserOptions extends Routes {
  origin: string
  mostLinks?: number | undefined
}

export async function observeBrowser(browser: Browser, options: BrowserOptions): Promise<Observations> {
  const { origin, pages, mostLinks = LINKS_PER_APP } = options
  const observations = createObservations(origin)
  const linked = new Set(pages)
  let links = 0
  for (const path of linked) {
    const { hrefs, forms, ...facts } = await withPage(browser, origin, (watched) => observePage(watched, origin + path))
    observations.add(`page ${path}`, facts)
    for (const href of hrefs.slice(0, LINKS_PER_PAGE)) {
      if (links++ >= mostLinks) break
      const click = (watched: WatchedPage) => followLink(watched, origin + path, href)
      observations.add(`link ${path} > ${href}`, await withPage(browser, origin, click))
      const target = href.replace(/#.*/, '')
      if (linked.size < pages.length + LINKED_PAGES && target.startsWith('/')) linked.add(target)
    }
    for (let at = 0; at < forms; at++) {
      const submit = (watched: WatchedPage) => submitForm(watched, origin + path, at)
      observations.add(`form ${path} ${at + 1}`, await withPage(browser, origin, submit))
    }
  }
  return observations
}

/** `others` are hosts that are not replaced. */
export async function withPage<T>(
  browser: Browser,
  origin: string,
  use: (watched: WatchedPage) => Promise<T>,
  others: string[] = [],
): Promise<T> {
  const watched = await openPage(browser, { viewport: { width: 1280, height: 900 } })
  await replaceOtherHosts(watched.page.context(), [origin, ...others])
  try {
    return await use(watched)
  } finally {
    await watched.close()
  }
}

async function observePage({ page, faults }: WatchedPage, address: string) {
  const hydration = await open(page, address)
  const images = await page.evaluate(loadImages)
  const { hrefs, forms, ...facts } = await page.evaluate(describePage)
  return { ...facts, images, hydration, faults: describeFaults(faults), hrefs, forms }
}

async function followLink({ page, faults }: WatchedPage, address: string, href: string): Promise<Facts> {
  await open(page, address)
  await page.evaluate(() => Object.assign(window, { isSameDocument: true }))
  const before = page.url()
  await page.evaluate((wanted) => {
    const links = [...document.querySelectorAll<HTMLAnchorElement>('a[href]')]
    links.find((link) => link.getAttribute('href') === wanted)?.click()
  }, href)
  await page.waitForURL((url) => url.href !== before, { timeout: 5000 }).catch(() => undefined)
  await settle(page)
  const isClient = await page.evaluate(() => 'isSameDocument' in window)
  const { title, text } = await page.evaluate(describePage)
  return { address: page.url(), by: isClient ? 'client' : 'document', title, text, faults: describeFaults(faults) }
}

async function submitForm({ page, faults }: WatchedPage, address: string, at: number): Promise<Facts> {
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.accept()
  })
  await open(page, address)
  const form = page.locator('form').nth(at)
  for (const field of await form.locator('input, textarea, select').all()) {
    const tag = await field.evaluate((element) => element.tagName)
    const value = await field.evaluate(fillForm)
    if (value === 'check') await field.check({ force: true, timeout: 2000 }).catch(() => undefined)
    else if (tag === 'SELECT') await field.selectOption({ index: 1 }, { timeout: 2000 }).catch(() => undefined)
    else if (value !== '') await field.fill(value, { force: true, timeout: 2000 }).catch(() => undefined)
  }
  const before = page.url()
  await form.evaluate((element) => (element as HTMLFormElement).requestSubmit())
  await page.waitForURL((url) => url.href !== before, { timeout: 2000 }).catch(() => undefined)
  await settle(page)
  const { title, text } = await page.evaluate(describePage)
  return { address: page.url(), title, text, dialogs: dialogs.join('\n'), faults: describeFaults(faults) }
}

/** Loads the page and waits until React has taken it over and its text no longer changes. */
export async function open(page: Page, address: string): Promise<string> {
  await page.goto(address)
  // Documents of handlers have no root.
  const isReady = () => {
    const root = document.getElementById('__next')
    return root === null || Object.keys(root).some((key) => key.startsWith('__reactContainer'))
  }
  const hydration = await page.waitForFunction(isReady, undefined, { timeout: HYDRATION_MS }).then(
    () => 'yes',
    () => 'no',
  )
  await settle(page)
  return hydration
}

export async function settle(page: Page): Promise<void> {
  let before: string | undefined
  for (let round = 0; round < SETTLE_ROUNDS; round++) {
    await page.waitForTimeout(SETTLE_MS)
    const text = await page.evaluate(() => document.title + (document.body?.innerText ?? '')).catch(() => undefined)
    if (text !== undefined && text === before) return
    before = text
  }
}

async function replaceOtherHosts(context: BrowserContext, origins: string[]): Promise<void> {
  await context.route(
    (url) => !origins.includes(url.origin),
    (route) => {
      const type = route.request().resourceType()
      const headers = { 'access-control-allow-origin': '*' }
      if (type === 'image') return route.fulfill({ contentType: 'image/gif', body: PIXEL, headers })
      const contentType = type === 'script' ? 'text/javascript' : type === 'stylesheet' ? 'text/css' : 'text/html'
      return route.fulfill({ contentType, body: '', headers })
    },
  )
}

/** An image of another host, which the machine need not reach. */
const OTHER_IMAGE = /\/_(?:next|portico)\/image\?url=http/

/** What Chromium says of a failed request names no file; the response itself is among the faults. */
export function describeFaults(faults: string[]): string {
  const own = faults.filter((fault) => !fault.includes('Failed to load resource') && !OTHER_IMAGE.test(fault))
  return [...new Set(own)].sort().join('\n')
}
