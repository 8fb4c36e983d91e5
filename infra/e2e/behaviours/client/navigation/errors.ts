// `onError` of the site's instrumentation-client: what it receives, and what is no error.

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { hydrated, openPage } from '../../../harness/chromium.ts'
import { DATA_OF_SIX, heading, holdRequests, type NavigationSite, ROUTER_CODE } from './site.ts'

/** What the fixture's hook has kept. */
interface ReportedError {
  text: string
  kind: string
  route?: string
  digest?: string
  componentStack?: string
  buildId: string
}

export async function reportedErrors(page: Page): Promise<ReportedError[]> {
  return JSON.parse((await page.evaluate(() => sessionStorage.getItem('errors'))) ?? '[]') as ReportedError[]
}

const PAGE_OF_SIX = /static\/page-items-id-.*\.js/
/** Where the page finds out which build the site has. */
const ANY_BUILD = /_portico\/manifest\/none/

export function describeErrors(site: () => NavigationSite): void {
  const open = (path: string) => site().open(path)
  const errorsOf = (page: Page) => expect.poll(() => reportedErrors(page), { timeout: 10_000 })
  const followSix = (page: Page) =>
    page.evaluate(() => document.querySelector<HTMLAnchorElement>('a[href="/items/six"]')?.click())

  describe('errors in the browser', () => {
    test('X16 a render is reported once, with the components around it, also where a hook throws', async () => {
      const { page, close } = await open('/client-error')
      await page.evaluate(() => sessionStorage.setItem('hook', 'throws'))
      await page.click('button:text("Break")')
      await page.locator('[role=alert]').waitFor()
      await errorsOf(page).toEqual([
        {
          text: 'Error: fixture browser failed',
          kind: 'render',
          route: '/client-error',
          componentStack: expect.stringMatching(/\n +at .*\n/),
          buildId: expect.stringMatching(/^[0-9a-f]{16}$/),
        },
      ])
      await page.click('button:text("Try again")')
      await heading(page, 'Client error')
      await close()
    })

    test('X16 what nothing caught is reported with its page; aborted work and files of the browser are not', async () => {
      const { page, close } = await open('/about')
      await page.evaluate(() => {
        setTimeout(() => {
          throw new Error('of a timer')
        })
        void Promise.reject('a text')
        void Promise.reject(new DOMException('gone', 'AbortError'))
        void fetch('/about', { signal: AbortSignal.abort() })
        document.body.append(Object.assign(new Image(), { src: '/missing.png' }))
      })
      await errorsOf(page).toHaveLength(2)
      expect((await reportedErrors(page)).map(({ text, kind, route }) => [text, kind, route]).sort()).toEqual([
        ['Error: of a timer', 'event', '/about'],
        ['a text', 'event', '/about'],
      ])
      await close()
    })

    test('X16 an error that repeats for ever is reported some times only', async () => {
      const { page, close } = await open('/about')
      await page.evaluate(() => {
        for (let n = 0; n < 50; n++) void Promise.reject(new Error(`${n}`))
      })
      await errorsOf(page).toHaveLength(20)
      await close()
    })

    testAtLength(
      'X16 data that fails on the server is reported for the page that it is of, with its digest',
      async () => {
        const { page, close } = await open('/')
        await page.click('a[href="/broken/data"]')
        await page.getByText(/Digest: [0-9a-f]{10}/).waitFor()
        await errorsOf(page).toEqual([
          {
            text: expect.stringContaining('data-status'),
            kind: 'navigation',
            route: '/broken/data',
            digest: expect.stringMatching(/^[0-9a-f]{10}$/),
            buildId: expect.anything(),
          },
        ])
        await close()
      },
    )

    test('X16 an action that fails is reported once, not also as the render that shows it', async () => {
      const { page, close } = await open('/counter')
      await page.locator('#fail button').click()
      await page.locator('[role=alert]').waitFor()
      await errorsOf(page).toEqual([
        {
          text: 'Error: The action failed with status 500.',
          kind: 'action',
          route: '/counter',
          digest: expect.stringMatching(/^[0-9a-f]{10}$/),
          buildId: expect.anything(),
        },
      ])
      await close()
    })

    testAtLength(
      'X16 missing code is reported while the site has the build of the page, and not after another one',
      async () => {
        for (const build of ['same', 'other'] as const) {
          const { page, documents, close } = await openPage(site().browser)
          // The document that is loaded instead gets what it needs.
          await page.route(PAGE_OF_SIX, (route) =>
            documents.length > 1 ? route.continue() : route.fulfill({ status: 404, body: 'gone' }),
          )
          if (build === 'other')
            await page.route(ANY_BUILD, (route) => route.fulfill({ status: 404, headers: { 'portico-build': 'b2' } }))
          await page.goto(`${site().baseUrl}/`)
          await hydrated(page, 'a[href="/items/six"]')
          await followSix(page)
          await heading(page, 'Item six')
          await expect.poll(() => documents.length).toBe(2)
          const wanted = { kind: 'chunk', route: '/items/[id]', text: expect.stringContaining('page-items-id') }
          expect(await reportedErrors(page)).toMatchObject(build === 'same' ? [wanted] : [])
          await close()
        }
      },
    )

    testAtLength(
      'X16 a navigation that another one replaced, and a site that cannot be reached, are no errors',
      async () => {
        const { page, close } = await open('/')
        const release = await holdRequests(page, DATA_OF_SIX)
        await followSix(page)
        await page.locator('#portico-pending').waitFor({ state: 'attached' })
        await page.click('nav a[href="/about"]')
        await heading(page, 'About')
        release()
        await page.goto(`${site().baseUrl}/counter`)
        await hydrated(page, 'nav a')
        await page.route(/./, (route) => (ROUTER_CODE.test(route.request().url()) ? route.continue() : route.abort()))
        await page.locator('#fail button').click()
        await page.locator('#portico-notice').waitFor({ timeout: 20_000 })
        expect(await reportedErrors(page)).toEqual([])
        await close()
      },
    )
  })
}
