// The documents of pages, over HTTP.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../harness/behaviour.ts'
import { elementsOf } from './elements.ts'

const SITE = '/client-navigation'
const AT = `${SITE}/rendered`

function page(number: number, does: string, run: (site: HttpSite) => Promise<void>): Behaviour {
  return { id: `client-navigation-rendering-${number}`, does, via: 'http', run }
}

/** A page whose document has a text. */
const hasText = (number: number, does: string, name: string, text: string) =>
  page(number, does, async (site) => {
    const response = await site.fetch(`${AT}/${name}`)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(text)
  })

const missing = (number: number, does: string, path: string) =>
  page(number, does, async (site) => {
    const response = await site.fetch(path)
    expect(response.status).toBe(404)
    const html = await response.text()
    expect(html).toMatch(/<h1[^>]*>404<\/h1>/)
    expect(html).toContain('This page could not be found')
  })

async function expectOwnStyle(site: HttpSite, name: string): Promise<void> {
  const html = await site.text(`${AT}/${name}`)
  const [paragraph] = elementsOf(html, 'p')
  expect(paragraph?.class).toMatch(/\S/)
  expect(html).toMatch(new RegExp(`<style[^>]*>\\s*p\\.${paragraph?.class}\\s*{\\s*color:\\s*(blue|#00f)`))
}

const typeOf = async (site: HttpSite) => (await site.fetch(`${AT}/type`)).headers.get('content-type')

const scriptsOf = (html: string) => elementsOf(html, 'script').flatMap(({ src }) => (src === undefined ? [] : [src]))

export const pages: readonly Behaviour[] = [
  page(1, 'renders a page that is a function, with the encoding of the document', async (site) => {
    const html = await site.text(`${AT}/plain`)
    expect(elementsOf(html, 'meta')).toContainEqual({ charset: 'utf-8' })
    expect(html).toContain('A component without state')
  }),
  page(2, 'has scripts of JavaScript only', async (site) => {
    const paths = scriptsOf(await site.text('/')).map((src) => new URL(src, site.origin).pathname)
    expect(paths).not.toEqual([])
    expect(paths.filter((path) => !path.endsWith('.js'))).toEqual([])
  }),
  hasText(3, 'renders a page that is a fragment', 'fragment', 'A fragment'),
  hasText(4, 'renders a page that forwards a ref', 'with-ref', 'A component with a ref'),
  hasText(5, 'renders a page that is memoised', 'memo', 'A component with memo'),
  hasText(
    6,
    'renders a page in a .jsx file, which imports others with and without the ending',
    'extension',
    '<p>a boat</p><p>a boat</p>',
  ),
  page(7, 'has no error in the data of a page without one', async (site) => {
    expect(await site.text('/')).not.toContain('"err"')
  }),
  page(8, 'says in the data of a page without a data function that it is static', async (site) => {
    expect(await site.text('/')).toContain('"nextExport":true')
  }),
  page(9, 'does not say so in the data of a page with one', async (site) => {
    expect(await site.text(`${AT}/later`)).not.toContain('"nextExport"')
  }),
  page(10, 'limits the rules of a style to the elements of its component', (site) => expectOwnStyle(site, 'styled')),
  page(11, 'limits the rules of a style of another module to the elements that have its class', (site) =>
    expectOwnStyle(site, 'styled-apart'),
  ),
  hasText(12, 'renders data that a promise has', 'later', '<h1>Later</h1>'),
  page(13, 'renders a link as an anchor with the address', async (site) => {
    expect(await site.text(`${AT}/link`)).toMatch(/<a [^>]*href="\/client-navigation\/pier"[^>]*>To the pier<\/a>/)
  }),
  page(17, 'names the type and the encoding of a document', async (site) => {
    expect((await site.fetch(`${AT}/plain`)).headers.get('content-type')).toBe('text/html; charset=utf-8')
  }),
  {
    id: 'client-navigation-rendering-18',
    does: 'lets a data function set the type of the document',
    via: 'http',
    run: async (site) => expect(await typeOf(site)).toBe('text/html; charset=iso-8859-2'),
    differs: {
      reason: 'a document is UTF-8, whatever the data function says',
      run: async (site) => expect(await typeOf(site)).toBe('text/html; charset=utf-8'),
    },
  },
  page(19, 'has no file of the framework where there is none', async (site) => {
    expect((await site.fetch('/_next/nothing')).status).toBe(404)
  }),
  hasText(20, 'renders a page whose text is module.exports', 'exports', 'module.exports'),
  hasText(21, 'renders data of a JSON file that is imported', 'data', 'Port of Json'),
  page(26, 'gives a page its address with the query', async (site) => {
    expect((await site.stateOf(`${AT}/address?knots=10`)).asPath).toBe(`${AT}/address?knots=10`)
  }),
  missing(27, 'has no page where there is none', `${SITE}/nowhere`),
  missing(28, 'has no page at a path of another case', '/Client-Navigation/PIER'),
  page(29, 'leads from a path with a slash at its end to the page', async (site) => {
    expect(await site.text(`${SITE}/pier/`, { redirect: 'follow' })).toContain('The pier')
  }),
  page(30, 'has no script of the address that has no page', async (site) => {
    const scripts = scriptsOf(await site.text(`${SITE}/nowhere`))
    expect(scripts).not.toEqual([])
    expect(scripts.filter((src) => src.includes('nowhere'))).toEqual([])
  }),
  page(31, 'gives the route to a component that is wrapped', async (site) => {
    expect(await site.text(`${SITE}/with-router`)).toContain(`<span id="route">${SITE}/with-router</span>`)
  }),
  page(32, 'gives the address to a component that is wrapped', async (site) => {
    expect(await site.text(`${SITE}/with-router`)).toContain(`<span id="address">${SITE}/with-router</span>`)
  }),
]
