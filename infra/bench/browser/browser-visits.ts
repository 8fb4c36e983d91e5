// Single measurements for the browser benchmark: one navigation, one loading of a page.

import type { Browser, Page } from 'playwright-core'

export const VIEWPORT = { width: 1280, height: 800 }
/** Long enough after `load` for everything that a page starts by itself; also with the processor slowed down. */
const SETTLED_MS = 2500

interface Navigation {
  /** Link of the home page. */
  href: string
  /** On a cold link a client with Save-Data clicks: nothing is prefetched, not even the list of routes. */
  isCold: boolean
}

/** Milliseconds from the click to the commit of the new page, of one visit. */
export async function measureNavigation(
  browser: Browser,
  baseUrl: string,
  { href, isCold }: Navigation,
): Promise<number> {
  const context = await browser.newContext({ viewport: VIEWPORT })
  const page = await context.newPage()
  await page.addInitScript(watchNavigation, isCold)
  const data = isCold
    ? undefined
    : page.waitForResponse((response) => new RegExp(`/_portico/data/[^/]+${href}\\.json$`).test(response.url()))
  await page.goto(baseUrl)
  await page.waitForFunction((selector) => {
    const link = document.querySelector(selector)
    return link && Object.keys(link).some((key) => key.startsWith('__reactProps'))
  }, `a[href="${href}"]`)
  const link = page.locator(`a[href="${href}"]`).first()
  if (!isCold) {
    await link.hover()
    await data
  }
  // Hydrated, loaded and prefetched: the page is at rest when the click arrives.
  await page.waitForTimeout(500)
  await link.click()
  await page.waitForURL(baseUrl + href)
  const { clicked, committed } = await page.evaluate(() => ({
    clicked: performance.getEntriesByName('bench:click')[0]?.startTime,
    committed: performance.getEntriesByName('portico:navigation-commit').at(-1)?.startTime,
  }))
  await context.close()
  if (clicked === undefined || committed === undefined || committed < clicked)
    throw new Error(`${href}: the browser has no marks of the navigation`)
  return committed - clicked
}

/** Runs in the page, before everything else. */
function watchNavigation(isCold: boolean): void {
  if (isCold) Object.defineProperty(navigator, 'connection', { value: { saveData: true } })
  // The time at which the browser received the click, not the time at which a script received the event.
  addEventListener('click', (event) => performance.mark('bench:click', { startTime: event.timeStamp }), true)
}

export interface Loading {
  lcpMs: number
  /** The time beyond 50 ms of each long task, from the first contentful paint until the page is at rest. */
  blockedMs: number
  scriptBytes: number
}

export interface LoadingOptions {
  /** The factor by which the processor is slowed down. */
  slowDown?: number
  /** Whether the browser has loaded the page before. */
  isWarm?: boolean
}

/** One loading of a page in a browser with an empty cache. */
export async function measureLoading(
  browser: Browser,
  url: string,
  { slowDown = 1, isWarm = false }: LoadingOptions = {},
): Promise<Loading> {
  const context = await browser.newContext({ viewport: VIEWPORT })
  if (isWarm) {
    const earlier = await context.newPage()
    await earlier.goto(url)
    await earlier.waitForTimeout(SETTLED_MS)
    await earlier.close()
  }
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowDown })
  await page.addInitScript(watchLoading)
  await page.goto(url)
  await page.waitForTimeout(SETTLED_MS)
  const result = await readLoading(page)
  await context.close()
  return result
}

interface Watched {
  lcp: number
  tasks: { start: number; duration: number }[]
}

/** Runs in the page, before everything else. */
function watchLoading(): void {
  const watched: Watched = { lcp: 0, tasks: [] }
  Object.assign(globalThis, { watched })
  const observe = (type: string, take: (entry: PerformanceEntry) => void) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  observe('largest-contentful-paint', ({ startTime }) => {
    watched.lcp = startTime
  })
  observe('longtask', ({ startTime, duration }) => watched.tasks.push({ start: startTime, duration }))
}

async function readLoading(page: Page): Promise<Loading> {
  const mismatch = await page.evaluate(() => document.documentElement.dataset.mismatch)
  if (mismatch) throw new Error(`the bare page is not the same markup: ${mismatch}`)
  return page.evaluate(() => {
    const { lcp, tasks } = (globalThis as unknown as { watched: Watched }).watched
    const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0
    const blocked = tasks
      .filter(({ start, duration }) => start + duration > painted)
      .map(({ duration }) => Math.max(0, duration - 50))
    // The browser's own kind of entry.
    const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    const scripts = resources.filter(({ name }) => new URL(name).pathname.endsWith('.js'))
    return {
      lcpMs: lcp,
      blockedMs: blocked.reduce((sum, ms) => sum + ms, 0),
      scriptBytes: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    }
  })
}
