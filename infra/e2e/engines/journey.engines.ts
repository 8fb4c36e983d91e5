// One journey in Firefox and in WebKit: what Chromium does in all browser tests, each step once.

import { NOT_FOUND_TEXT } from '@portico/shared/wire/errors/error-titles.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { documentOf, type EnginePage, goBack, live, shows, showsText } from './engine.ts'
import { findFirefox, openFirefox } from './firefox.ts'
import { type Sites, startSites, takeFaults } from './sites.ts'
import { findWebKit, openWebKit } from './webkit.ts'

const ENGINES = [
  { name: 'Firefox', isFound: findFirefox() !== undefined, open: openFirefox },
  { name: 'WebKit', isFound: findWebKit() !== undefined, open: openWebKit },
]

/** The server ends requests of a data function after this time. */
const DATA_LIMIT_MS = 10_000

let sites: Sites

beforeAll(async () => {
  sites = await startSites()
})

afterAll(() => sites?.stop())

describe.each(ENGINES)('the journey', ({ name, isFound, open: openPage }) => {
  describe.skipIf(!isFound)(`in ${name}`, () => {
    let page: EnginePage
    let plain: EnginePage

    beforeAll(async () => {
      ;[page, plain] = await Promise.all([
        openPage({ javaScriptEnabled: true }),
        openPage({ javaScriptEnabled: false }),
      ])
    })
    afterAll(() => Promise.all([page?.close(), plain?.close()]))
    // A step ends without an error in the console, and without an uncaught one.
    let shownOnPurpose: RegExp | undefined
    beforeEach(() => {
      shownOnPurpose = undefined
    })
    afterEach(async () => {
      const faults = await takeFaults(page)
      expect(faults.filter((fault) => !shownOnPurpose?.test(String(fault)))).toEqual([])
    })

    /** A page that is live. */
    const open = async (path: string, selector = 'nav a') => {
      await page.goto(sites.baseUrl + path)
      await live(page, selector)
    }
    const gateOf = (id: string) => `${sites.baseUrl}/api/gates/${id}`
    const unique = () => Math.random().toString(36).slice(2, 12)

    test(`R1 I10 a page is shown and live, with its image, in ${name}`, async () => {
      await open('/')
      await showsText(page, 'h1', 'Fixture')
      await shows(page, `document.images[0].complete && document.images[0].naturalWidth > 0`, true)
      await shows(page, `getComputedStyle(document.querySelector('.tall')).paddingBottom`, '960px')
    })

    test(`N1 N3 a click shows the next page without loading a document, at its top, in ${name}`, async () => {
      await open('/')
      const first = await documentOf(page)
      await page.evaluate(`window.scrollTo({ top: 150, behavior: 'instant' })`)
      await page.click('a[href="/items/six"]')
      await showsText(page, 'h1', 'Item six')
      await shows(page, `[location.pathname, document.title, scrollY]`, ['/items/six', 'Item six · Fixture', 0])
      await shows(page, `document.activeElement.tagName`, 'H1')
      expect(await documentOf(page)).toBe(first)
    })

    test(`N3 going back restores the scroll position in ${name}`, async () => {
      await open('/')
      const first = await documentOf(page)
      // The router's listener is older than this one.
      await page.evaluate(`addEventListener('scroll', () => { window.hasScrolled = true })`)
      await page.evaluate(`document.querySelector('a[href="/items/two"]').scrollIntoView({ block: 'center' })`)
      await shows(page, `window.hasScrolled`, true)
      const scrolled = await page.evaluate('scrollY')
      expect(scrolled).toBeGreaterThan(0)
      await page.click('a[href="/items/two"]')
      await showsText(page, 'h1', 'Item two')
      await shows(page, 'scrollY', 0)
      await goBack(page)
      await showsText(page, 'h1', 'Fixture')
      await shows(page, `[location.pathname, scrollY]`, ['/', scrolled])
      expect(await documentOf(page)).toBe(first)
    })

    test(`P1 code is requested when a link is in view, data when the pointer is on it, before the click, in ${name}`, async () => {
      await open('/about')
      await page.click('nav a[href="/"]')
      await showsText(page, 'h1', 'Fixture')
      const requested = (pattern: string) =>
        `performance.getEntriesByType('resource').filter(({ name }) => ${pattern}.test(name)).length`
      const data = requested(String.raw`/\/data\/[^/]+\/items\/four\.json/`)
      await shows(page, `${requested(String.raw`/static\/page-items-id-.*\.js/`)} > 0`, true)
      expect(await page.evaluate(data)).toBe(0)
      await page.hover('a[href="/items/four"]')
      await shows(page, data, 1)
      await page.click('a[href="/items/four"]')
      await showsText(page, 'h1', 'Item four')
      expect(await page.evaluate(data)).toBe(1)
    })

    test(`A1 a form is sent without loading a document, and the page shows what it stored, in ${name}`, async () => {
      const text = unique()
      await open('/form', 'form')
      const first = await documentOf(page)
      await page.type('#note', text)
      await page.click('form button')
      await showsText(page, '#notes li', text)
      await shows(page, `document.querySelector('#note').value`, '')
      expect(await documentOf(page)).toBe(first)
      // Stored, not only shown.
      await open('/form', 'form')
      await showsText(page, '#notes li', text)
    })

    test(`A3 a form shows the issue of a field and keeps what was typed in ${name}`, async () => {
      await open('/things/6', 'form')
      const first = await documentOf(page)
      await page.type('#text', 'more than twenty characters')
      await page.click('form button')
      await showsText(page, '[role=status]', 'At most 20 characters.')
      await shows(page, `document.querySelector('#text').value`, 'more than twenty characters')
      expect(await documentOf(page)).toBe(first)
    })

    test(`W2 P1 a page is shown before its slow value, which follows, also after a prefetch, in ${name}`, async () => {
      const id = unique()
      await open(`/deferred?to=${id}`)
      const first = await documentOf(page)
      const clickedAt = performance.now()
      // The pointer is on the link before the click.
      await page.click('#to')
      await showsText(page, 'h1', `Deferred ${id}`)
      // The server ends the request of the prefetch at last.
      expect(performance.now() - clickedAt).toBeLessThan(DATA_LIMIT_MS - 1000)
      const parts = `['fast', 'slow', 'failing'].map((id) => document.getElementById(id)?.textContent)`
      await shows(page, parts, ['Fast value', 'Waiting', 'Failed'])
      await fetch(gateOf(id), { method: 'POST' })
      await shows(page, parts, ['Fast value', 'Slow value', 'Failed'])
      expect(await documentOf(page)).toBe(first)
      shownOnPurpose = /Deferred data failed|#419/
    })

    test(`N6 a navigation ends the transfer of values of the page that it leaves in ${name}`, async () => {
      const id = unique()
      const waiting = async () => Number(await (await fetch(`${gateOf(id)}?waiting=1`)).text())
      await open(`/deferred?to=${id}`)
      await page.click('#to')
      await showsText(page, '#slow', 'Waiting')
      await expect.poll(waiting).toBe(1)
      const leftAt = performance.now()
      await page.click('nav a[href="/about"]')
      await showsText(page, 'h1', 'About')
      await expect.poll(waiting).toBe(0)
      expect(performance.now() - leftAt).toBeLessThan(DATA_LIMIT_MS - 1000)
      shownOnPurpose = /Deferred data failed|#419/
    })

    test(`W2 a streamed document shows its late part in place of the fallback in ${name}`, async () => {
      await open('/streamed')
      await showsText(page, '#late', 'Late part')
      await shows(page, `document.querySelector('#waiting')`, null)
    })

    test(`N2 results of a search follow the typing in the address, without loading a document, in ${name}`, async () => {
      await open('/search', '#q')
      const first = await documentOf(page)
      await showsText(page, '#titles', 'Item one, Item two, Item three, Item four, Item five, Item six')
      await page.type('#q', 'th')
      const shown = `[location.search, ...['searched', 'titles'].map((id) => document.getElementById(id).textContent)]`
      await shows(page, shown, ['?q=th', 'th', 'Item three'])
      await page.type('#q', 'x')
      await shows(page, shown, ['?q=thx', 'thx', ''])
      expect(await documentOf(page)).toBe(first)
      await open('/search?q=si', '#q')
      await shows(page, shown, ['?q=si', 'si', 'Item six'])
    })

    test(`E1 the not-found screen is shown in ${name}`, async () => {
      await page.goto(`${sites.baseUrl}/nope`)
      await shows(page, `document.title`, '404: This page could not be found.')
      await shows(page, `document.body.textContent.includes(${JSON.stringify(NOT_FOUND_TEXT)})`, true)
    })

    test(`E3 errors of a page are reported to this test in ${name}`, async () => {
      await open('/about')
      await page.evaluate(`void setTimeout(() => { window.hasThrown = true; throw new Error('thrown by the test') })`)
      await shows(page, 'window.hasThrown', true)
      const faults = await takeFaults(page)
      expect(faults).toEqual([expect.stringMatching(/^uncaught: .*thrown by the test$/)])
    })

    test(`N1 A1 pages are readable and a form is sent without JavaScript in ${name}`, async () => {
      const text = unique()
      await plain.goto(`${sites.baseUrl}/`)
      await showsText(plain, 'h1', 'Fixture')
      await plain.click('nav a[href="/form"]')
      await showsText(plain, 'h1', 'Form')
      const before = await documentOf(plain)
      await plain.type('#note', text)
      await plain.click('form button')
      await showsText(plain, '#notes li', text)
      expect(await documentOf(plain)).not.toBe(before)
    })

    test(`V1 an edit is shown without loading the page and keeps its state in ${name}`, async () => {
      await page.goto(`${sites.devUrl}/`)
      await live(page, '#count')
      const first = await documentOf(page)
      await page.click('#count')
      await showsText(page, '#count', 'count 1')
      const { edited } = sites
      await edited.edit('components/greeting.tsx', 'Hello one', `Hello ${name}`)
      await showsText(page, '#greeting', `Hello ${name}`)
      await edited.edit('pages/index.module.css', 'rgb(1, 2, 3)', 'rgb(4, 5, 6)')
      await shows(page, `getComputedStyle(document.querySelector('main')).color`, 'rgb(4, 5, 6)')
      await showsText(page, '#count', 'count 1')
      expect(await documentOf(page)).toBe(first)
      await edited.reset()
      await showsText(page, '#greeting', 'Hello one')
      await shows(page, `getComputedStyle(document.querySelector('main')).color`, 'rgb(1, 2, 3)')
    })
  })
})
