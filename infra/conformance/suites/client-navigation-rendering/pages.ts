// The documents of pages, over HTTP.

import { expect } from 'vitest'
import { behavioursOf, type HttpSite } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { elementsOf } from './elements.ts'

const NAME = 'client-navigation-rendering'
const SITE = '/client-navigation'
const AT = `${SITE}/rendered`
const MISSING = { status: 404, text: [/<h1[^>]*>404<\/h1>/, 'This page could not be found'] }
const TYPE = `${AT}/type`

const { overHttp } = behavioursOf(NAME)

async function expectOwnStyle(site: HttpSite, name: string): Promise<void> {
  const html = await site.text(`${AT}/${name}`)
  const [paragraph] = elementsOf(html, 'p')
  expect(paragraph?.class).toMatch(/\S/)
  expect(html).toMatch(new RegExp(`<style[^>]*>\\s*p\\.${paragraph?.class}\\s*{\\s*color:\\s*(blue|#00f)`))
}

const scriptsOf = (html: string) => elementsOf(html, 'script').flatMap(({ src }) => (src === undefined ? [] : [src]))

const plain = responses(NAME, {
  '3 renders a page that is a fragment': { path: `${AT}/fragment`, status: 200, text: 'A fragment' },
  '4 renders a page that forwards a ref': { path: `${AT}/with-ref`, status: 200, text: 'A component with a ref' },
  '5 renders a page that is memoised': { path: `${AT}/memo`, status: 200, text: 'A component with memo' },
  '6 renders a page in a .jsx file, which imports others with and without the ending': {
    path: `${AT}/extension`,
    status: 200,
    text: '<p>a boat</p><p>a boat</p>',
  },
  '7 has no error in the data of a page without one': { path: '/', without: '"err"' },
  '8 says in the data of a page without a data function that it is static': { path: '/', text: '"nextExport":true' },
  '9 does not say so in the data of a page with one': { path: `${AT}/later`, without: '"nextExport"' },
  '12 renders data that a promise has': { path: `${AT}/later`, status: 200, text: '<h1>Later</h1>' },
  '13 renders a link as an anchor with the address': { path: `${AT}/link`, text: /<a [^>]*href="\/client-navigation\/pier"[^>]*>To the pier<\/a>/ },
  '17 names the type and the encoding of a document': { path: `${AT}/plain`, headers: { 'content-type': 'text/html; charset=utf-8' } },
  '18 lets a data function set the type of the document': {
    path: TYPE,
    headers: { 'content-type': 'text/html; charset=iso-8859-2' },
    differs: { reason: 'a document is UTF-8, whatever the data function says', path: TYPE, headers: { 'content-type': 'text/html; charset=utf-8' } },
  },
  '19 has no file of the framework where there is none': { path: '/_next/nothing', status: 404 },
  '20 renders a page whose text is module.exports': { path: `${AT}/exports`, status: 200, text: 'module.exports' },
  '21 renders data of a JSON file that is imported': { path: `${AT}/data`, status: 200, text: 'Port of Json' },
  '26 gives a page its address with the query': { path: `${AT}/address?knots=10`, state: { asPath: `${AT}/address?knots=10` } },
  '27 has no page where there is none': { path: `${SITE}/nowhere`, ...MISSING },
  '28 has no page at a path of another case': { path: '/Client-Navigation/PIER', ...MISSING },
  '29 leads from a path with a slash at its end to the page': { path: `${SITE}/pier/`, request: { redirect: 'follow' }, text: 'The pier' },
  '31 gives the route to a component that is wrapped': { path: `${SITE}/with-router`, text: `<span id="route">${SITE}/with-router</span>` },
  '32 gives the address to a component that is wrapped': { path: `${SITE}/with-router`, text: `<span id="address">${SITE}/with-router</span>` },
})

export const pages = [
  ...plain,
  overHttp(1, 'renders a page that is a function, with the encoding of the document', async (site) => {
    const html = await site.text(`${AT}/plain`)
    expect(elementsOf(html, 'meta')).toContainEqual({ charset: 'utf-8' })
    expect(html).toContain('A component without state')
  }),
  overHttp(2, 'has scripts of JavaScript only', async (site) => {
    const paths = scriptsOf(await site.text('/')).map((src) => new URL(src, site.origin).pathname)
    expect(paths).not.toEqual([])
    expect(paths.filter((path) => !path.endsWith('.js'))).toEqual([])
  }),
  overHttp(10, 'limits the rules of a style to the elements of its component', (site) => expectOwnStyle(site, 'styled')),
  overHttp(11, 'limits the rules of a style of another module to the elements that have its class', (site) => expectOwnStyle(site, 'styled-apart')),
  overHttp(30, 'has no script of the address that has no page', async (site) => {
    const scripts = scriptsOf(await site.text(`${SITE}/nowhere`))
    expect(scripts).not.toEqual([])
    expect(scripts.filter((src) => src.includes('nowhere'))).toEqual([])
  }),
]
