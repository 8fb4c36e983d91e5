// The site for a client without JavaScript: every link of every page leads somewhere, every form does its work.

import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import type { Browser, Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openPage } from '../../../harness/chromium.ts'
import { send, unescapeHtml } from '../../../harness/http.ts'
import type { JourneyTarget } from './target.ts'

/** More than the sample site has: a walk that does not end is a fault of the site. */
const MOST_PAGES = 400

interface VisitedPage {
  status: number
  html: string
}

/** Pages with every form of the site; `npm run test:long` looks for forms on all pages. */
const PAGES_WITH_FORMS = ['/docs', '/places/skarnvik', '/search']

export function describePlainSite({ baseUrl, browser, pages, isWhole }: JourneyTarget): void {
  describe('without JavaScript', () => {
    test('N1 responds with 200 to every internal link of every page, and has the element that each hash names', async () => {
      const visited = await walkLinks(baseUrl(), pages())
      const faults = [...visited].flatMap(([path, { status, html }]) => [
        ...(status === 200 || path === '/nope' ? [] : [`${path} responds with ${status}`]),
        ...hashFaults(path, html, visited),
      ])
      expect(visited.size).toBeGreaterThan(pages().length)
      expect(faults).toEqual([])
    })

    testAtLength('A1 takes what is typed into every form and shows it', async () => {
      const tried = new Set<string>()
      const faults: string[] = []
      for (const path of isWhole ? pages() : PAGES_WITH_FORMS) {
        for (const form of await formsOf(browser(), baseUrl() + path)) {
          if (tried.has(form.key)) continue
          tried.add(form.key)
          const fault = await tryForm(browser(), baseUrl() + path, form.index)
          if (fault) faults.push(`form ${form.index} (${form.key}) of ${path}: ${fault}`)
        }
      }
      console.log(`forms that work without JavaScript: ${[...tried].join(' · ')}`)
      // The searches of the atlas and of its documentation, and the postcards.
      expect(tried.size).toBeGreaterThanOrEqual(3)
      expect(faults).toEqual([])
    })
  })
}

/** Every address of the site that links lead to, with its response. */
async function walkLinks(baseUrl: string, from: string[]): Promise<Map<string, VisitedPage>> {
  const visited = new Map<string, VisitedPage>()
  const waiting = new Set(from)
  while (waiting.size > 0) {
    if (visited.size > MOST_PAGES) throw new Error(`more than ${MOST_PAGES} addresses`)
    const batch = [...waiting].slice(0, 8)
    const responses = await Promise.all(batch.map((path) => send(baseUrl, path)))
    for (const [index, path] of batch.entries()) {
      waiting.delete(path)
      const { status, text, headers } = responses[index]!
      const html = headers['content-type']?.startsWith('text/html') ? text : ''
      visited.set(path, { status, html })
      for (const href of linksOf(html)) {
        const target = new URL(href, new URL(path, baseUrl))
        const address = target.pathname + target.search
        if (target.origin === baseUrl && !visited.has(address)) waiting.add(address)
      }
    }
  }
  return visited
}

function linksOf(html: string): string[] {
  return [...html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)].map(([, href = '']) => unescapeHtml(href))
}

/** Links to a place in a page that the page does not have. */
function hashFaults(path: string, html: string, visited: Map<string, VisitedPage>): string[] {
  return linksOf(html).flatMap((href) => {
    const target = new URL(href, `http://site${path}`)
    const id = decodeURIComponent(target.hash.slice(1))
    const page = visited.get(target.pathname + target.search)
    if (target.host !== 'site' || id === '' || !page?.html) return []
    return page.html.includes(`id="${id}"`) ? [] : [`${path} links to ${href}, which has no such place`]
  })
}

interface FoundForm {
  index: number
  /** Forms of one kind have equal keys, whatever page they are on. */
  key: string
}

async function formsOf(browser: Browser, url: string): Promise<FoundForm[]> {
  if (!(await (await fetch(url)).text()).includes('<form')) return []
  const { page, close } = await openPage(browser, { javaScriptEnabled: false })
  // Fields only: images may come later.
  await page.goto(url, { waitUntil: 'domcontentloaded' })
  const forms = await page.locator('form').all()
  const found = await Promise.all(
    forms.map(async (form, index) => {
      const names = await fieldsOf(form).evaluateAll((fields) => fields.map((field) => field.getAttribute('name')))
      const method = (await form.getAttribute('method')) ?? 'get'
      const button = await form.locator('[type="submit"], button:not([type])').first().textContent()
      // A search form may send elsewhere; posts are sent to their own page.
      const action = method.toLowerCase() === 'get' ? await form.getAttribute('action') : ''
      return { index, key: `${method.toLowerCase()} ${action} ${[...new Set(names)].join('+')} "${button?.trim()}"` }
    }),
  )
  await close()
  return found
}

function fieldsOf(form: Locator): Locator {
  return form.locator(':is(input, textarea, select)[name]:not([type="hidden"])')
}

/** Fills it in and sends it; a sentence when it did not work. */
async function tryForm(browser: Browser, url: string, index: number): Promise<string | undefined> {
  const { page, close } = await openPage(browser, { javaScriptEnabled: false })
  await page.goto(url, { waitUntil: 'domcontentloaded' })
  const form = page.locator('form').nth(index)
  const typed = await fillIn(form)
  const loaded = page.waitForResponse((response) => response.request().isNavigationRequest())
  await form.locator('[type="submit"], button:not([type])').first().click()
  const first = await loaded
  await page.waitForLoadState('domcontentloaded')
  const fault = await faultOf(page, first.status(), typed)
  await close()
  return fault
}

async function faultOf(page: Page, status: number, typed: string | undefined): Promise<string | undefined> {
  if (status >= 400) return `responded with ${status}`
  if ((await page.locator('[aria-invalid="true"]').count()) > 0) return 'refused what was typed'
  if (typed === undefined) return undefined
  const shown = `${await page.locator('body').innerText()} ${await page.locator('h1, title').allTextContents()}`
  return shown.includes(typed) ? undefined : `does not show ${typed}`
}

/** Types into all text fields; returns a word that only this client has typed, if a field has room for it. */
async function fillIn(form: Locator): Promise<string | undefined> {
  const word = `plain${Math.random().toString(36).slice(2, 10)}`
  let typed: string | undefined
  for (const field of await fieldsOf(form).all()) {
    if (!(await field.isVisible()) || !(await field.isEditable().catch(() => false))) continue
    const kind = await field.evaluate((element) =>
      element instanceof HTMLInputElement ? element.type : element.tagName,
    )
    if (!['text', 'search', 'TEXTAREA'].includes(kind)) continue
    await field.fill(word)
    typed = word
  }
  return typed
}
