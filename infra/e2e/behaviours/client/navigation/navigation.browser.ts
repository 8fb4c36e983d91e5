// Navigation when something is missing, late or broken, and the three boundaries, in Chromium with the network made to
// fail. On the second site, as `npm start` runs it.

import { runs, testAtLength } from '@portico/shared/kit/testing/runs.ts'
import { NOT_FOUND_TEXT } from '@portico/shared/wire/errors/error-titles.ts'
import { CLIENT_EXCEPTION_TEXT } from '@portico/shared/wire/errors/exception-texts.ts'
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import { describeDeferred } from './deferred.ts'
import { describeErrors } from './errors.ts'
import { describeKeptPages } from './kept-pages.ts'
import { describeLateRouter } from './late-router.ts'
import { describeMixes } from './mixes.ts'
import { describeRefusals } from './refusals.ts'
import { describeRefusedForms } from './refused-forms.ts'
import { heading, holdRequests, type NavigationSite, startNavigationSite } from './site.ts'

let site: NavigationSite

beforeAll(async () => {
  site = await startNavigationSite()
})

afterAll(() => site?.stop())

const open = (path: string) => site.open(path)

describe('boundaries', () => {
  test('E3 E5 shows the application error, and the page again after "Try again"', async () => {
    const { page, close } = await open('/client-error')
    await page.click('button:text("Break")')
    await page.getByText(CLIENT_EXCEPTION_TEXT).waitFor()
    await page.click('button:text("Try again")')
    // The page was mounted again: it has its first state.
    await heading(page, 'Client error')
    await close()
  })

  test('E5 shows the not-found screen for notFound() thrown in the browser', async () => {
    const { page, documents, close } = await open('/thrown')
    await page.click('#not-found')
    await page.getByText(NOT_FOUND_TEXT).waitFor()
    expect(documents).toHaveLength(1)
    await close()
  })

  test('E5 follows redirect() thrown in the browser without loading a document', async () => {
    const { page, documents, close } = await open('/thrown')
    await page.click('#redirect')
    await page.waitForURL(`${site.baseUrl}/about`)
    await heading(page, 'About')
    expect(documents).toHaveLength(1)
    await close()
  })

  test('E3 ends endless updates in the application error, not in a frozen tab', async () => {
    const { page, close } = await open('/thrown')
    await page.click('#endless')
    await page.getByText(CLIENT_EXCEPTION_TEXT).waitFor()
    await close()
  })
})

describe('the first view', () => {
  /** Address, the query that the server knows, and the query after hydration. */
  const KINDS = [
    ['rendered for each request', '/items/six', { q: '1', id: 'six' }],
    ['without data', '/about', { q: '1' }],
    ['rendered once', '/news', { q: '1' }],
  ] as const

  test.each(KINDS.slice(0, runs(1, KINDS.length)))(
    'N2 D2 the router of a page %s is the same on the server and in the browser',
    async (_, path, query) => {
      for (const search of ['?q=1#part', '']) {
        const { page, faults, close } = await open(path + search)
        const expected = { isReady: true, search: search === '' ? '' : 'q=1' }
        await expect
          .poll(async () => JSON.parse((await page.locator('#router').textContent()) ?? ''))
          .toMatchObject(search === '' ? expected : { ...expected, query })
        expect(faults).toEqual([])
        await close()
      }
    },
  )

  test('N2 D2 the server renders a page for all clients without a query and not ready', async () => {
    const routerOf = async (path: string) =>
      JSON.parse(
        (await (await fetch(site.baseUrl + path)).text())
          .match(/id="router"[^>]*>([^<]*)/)?.[1]
          ?.replaceAll('&quot;', '"') ?? '',
      )
    expect(await routerOf('/news?q=1')).toEqual({ isReady: false, query: {}, search: '' })
    expect(await routerOf('/about')).toMatchObject({ isReady: false })
    expect(await routerOf('/items/six?q=1')).toEqual({ isReady: true, query: { q: '1', id: 'six' }, search: 'q=1' })
  })
})

/** The address of a page's data, whatever the build. */
const DATA = /\/_portico\/data\/[^/]+\/items\/six\.json/

async function failing(
  page: Page,
  pattern: RegExp,
  response: (route: Route, attempt: number) => Promise<void>,
): Promise<() => number> {
  let attempts = 0
  await page.route(pattern, (route) => response(route, ++attempts))
  return () => attempts
}

describe('navigation', () => {
  testAtLength('D4 requests page data up to four times when the response is 5xx', async () => {
    const { page, documents, close } = await openPage(site.browser)
    const attempts = await failing(page, DATA, (route, attempt) =>
      // A prefetch requests once and reports nothing; the click sends its own requests.
      attempt <= 3 ? route.fulfill({ status: 503, json: { error: { status: 503, title: 'busy' } } }) : route.continue(),
    )
    await page.goto(`${site.baseUrl}/about`)
    await hydrated(page, 'nav a')
    await page.evaluate(() => history.pushState({ portico: 'later' }, '', '/items/six'))
    await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate', { state: { portico: 'later' } })))
    await heading(page, 'Item six')
    expect(attempts()).toBe(4)
    expect(documents).toHaveLength(1)
    await close()
  })

  /** What a client transition may meet; `npm run test:long` tries all. */
  const FAULTS = [
    [
      'page data that never arrives',
      DATA,
      (route: Route) => route.fulfill({ status: 500, json: { error: { status: 500, title: 'x' } } }),
    ],
    [
      'missing route code',
      /static\/page-items-id-.*\.js/,
      (route: Route) => route.fulfill({ status: 404, body: 'gone' }),
    ],
    [
      'page data of the wrong type',
      DATA,
      (route: Route) => route.fulfill({ status: 200, body: '<p>no</p>', contentType: 'text/html' }),
    ],
    ['page data that is cut off', DATA, (route: Route) => route.abort('connectionreset')],
    ['a missing stylesheet', /static\/styles-.*\.css/, (route: Route) => route.fulfill({ status: 404, body: 'gone' })],
    ['a missing manifest', /_portico\/manifest\//, (route: Route) => route.fulfill({ status: 404, body: 'gone' })],
  ] as const

  test.each(FAULTS.slice(0, runs(2, FAULTS.length)))(
    'N5 loads the target in full, once, for %s',
    async (_what, pattern, response) => {
      const { page, documents, close } = await openPage(site.browser)
      let isDocument = false
      page.on('request', (request) => {
        if (request.isNavigationRequest() && request.url().includes('/items/six')) isDocument = true
      })
      // Only the client transition meets the fault; the document that is loaded instead gets what it needs.
      await page.route(pattern, (route) => (isDocument ? route.continue() : response(route)))
      await page.goto(`${site.baseUrl}/`)
      await hydrated(page, 'a[href="/items/six"]')
      await page.evaluate(() => {
        const link = document.querySelector<HTMLAnchorElement>('a[href="/items/six"]')
        link?.click()
      })
      await heading(page, 'Item six')
      await expect.poll(() => documents).toEqual([`${site.baseUrl}/`, `${site.baseUrl}/items/six`])
      await close()
    },
  )

  test('N6 shows a thin bar while a page is late, and the last navigation wins', async () => {
    const { page, documents, close } = await openPage(site.browser)
    const release = await holdRequests(page, DATA)
    await page.goto(`${site.baseUrl}/`)
    await hydrated(page, 'a[href="/items/six"]')
    await page.click('a[href="/items/six"]')
    await page.locator('#portico-pending').waitFor({ state: 'attached' })
    await page.click('nav a[href="/about"]')
    await heading(page, 'About')
    await page.locator('#portico-pending').waitFor({ state: 'detached' })
    release()
    await page.waitForTimeout(300)
    expect(new URL(page.url()).pathname).toBe('/about')
    expect([await page.textContent('h1'), await page.locator('#portico-pending').count()]).toEqual(['About', 0])
    expect(documents).toHaveLength(1)
    await close()
  })

  test('N4 leaves /api to the browser and follows /apiary', async () => {
    const { page, documents, close } = await open('/')
    await page.click('a[href="/apiary"]')
    await page.waitForURL(`${site.baseUrl}/apiary`)
    expect(documents).toHaveLength(1)
    await close()
  })

  test('N3 moves the focus to the new page and announces its title', async () => {
    const { page, close } = await open('/')
    await page.click('nav a[href="/about"]')
    await heading(page, 'About')
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await expect.poll(() => page.locator('#portico-announcer').textContent()).toContain('About')
    await close()
  })
})

describeLateRouter(() => site)
describeMixes(() => site)
describeRefusedForms(() => site)
describeKeptPages()
describeDeferred(() => site)
describeErrors(() => site)
describeRefusals(() => site)
