// What the documents say, before the client navigates.

import { expect } from 'vitest'
import { behavioursOf } from '../../harness/behaviour.ts'
import { responses } from '../../harness/responses.ts'
import { AT } from './steps.ts'

const { overHttp } = behavioursOf('client-navigation')

/** The page for addresses without a page. */
const MISSING = { status: 404, text: [/<h1[^>]*>404<\/h1>/, 'This page could not be found'] }

/** The element with this id in a document. */
const elementOf = (html: string, id: string) => new RegExp(`<a[^>]* id="${id}"[^>]*>|<a id="${id}"[^>]*>`).exec(html)?.[0]

export const documents = [
  ...responses('client-navigation', {
    '1 has no page at the path of the error page': { path: '/_error', ...MISSING },
    '4 makes a link of a number': { path: `${AT}/children`, text: `<a href="${AT}/pier">1000</a>` },
    '58 redirects a document to the page that the data function names': { path: `${AT}/moved`, status: 307, headers: { location: `${AT}/pier` } },
    '61 has no page at the name of the file of an index page': { path: ['/index', `${AT}/index`], ...MISSING },
    '75 has no page where there is none': { path: `${AT}/nowhere`, ...MISSING },
    '76 has no page at a path of another case': { path: '/Client-Navigation/PIER', ...MISSING },
    '77 gives a page the parameter within its path': { path: `${AT}/berths/south/boat`, state: { query: { berth: 'south' } } },
    '78 has no page at a path of another case after a parameter': { path: `${AT}/berths/south/BOAT`, ...MISSING },
    '79 leads from a path with a slash at its end to the page': { path: `${AT}/pier/`, request: { redirect: 'follow' }, status: 200, text: 'The pier' },
    '84 serves a page that imports a CommonJS module of the app': { path: `${AT}/timetable`, text: 'every hour' },
    '85 serves the index page of a folder with the name index': { path: `${AT}/folder/index`, text: 'A folder with the name index' },
  }),
  overHttp(17, 'gives a child that is a component no address', async (site) => {
    const element = elementOf(await site.text(`${AT}/children`), 'without')
    expect(element).toBeTruthy()
    expect(element).not.toContain('href')
  }),
  overHttp(18, 'gives a child that is a component the address, where the link says so', async (site) => {
    expect(elementOf(await site.text(`${AT}/children`), 'with')).toContain(`href="${AT}/pier"`)
  }),
  overHttp(80, 'loads no script of the address that has no page', async (site) => {
    const html = await site.text(`${AT}/nowhere`)
    const scripts = [...html.matchAll(/<script[^>]* src="([^"]*)"/g)].map(([, src]) => src)
    expect(scripts).not.toEqual([])
    expect(scripts.filter((src) => src?.includes('nowhere'))).toEqual([])
  }),
]
