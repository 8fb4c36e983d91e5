// What the documents say, before the client navigates.

import { expect } from 'vitest'
import type { Behaviour, HttpSite } from '../harness/behaviour.ts'
import { AT } from './steps.ts'

function http(number: number, does: string, run: (site: HttpSite) => Promise<void>): Behaviour {
  return { id: `client-navigation-${number}`, does, via: 'http', run }
}

/** The page for addresses without a page. */
async function expectMissing(site: HttpSite, path: string): Promise<void> {
  const response = await site.fetch(path)
  expect(response.status).toBe(404)
  const html = await response.text()
  expect(html).toMatch(/<h1[^>]*>404<\/h1>/)
  expect(html).toContain('This page could not be found')
}

/** The element with this id in a document. */
const elementOf = (html: string, id: string) =>
  new RegExp(`<a[^>]* id="${id}"[^>]*>|<a id="${id}"[^>]*>`).exec(html)?.[0]

export const documents = [
  http(1, 'has no page at the path of the error page', (site) => expectMissing(site, '/_error')),
  http(4, 'makes a link of a number', async (site) => {
    expect(await site.text(`${AT}/children`)).toContain(`<a href="${AT}/pier">1000</a>`)
  }),
  http(17, 'gives a child that is a component no address', async (site) => {
    const element = elementOf(await site.text(`${AT}/children`), 'without')
    expect(element).toBeTruthy()
    expect(element).not.toContain('href')
  }),
  http(18, 'gives a child that is a component the address, where the link says so', async (site) => {
    expect(elementOf(await site.text(`${AT}/children`), 'with')).toContain(`href="${AT}/pier"`)
  }),
  http(58, 'redirects a document to the page that the data function names', async (site) => {
    const response = await site.fetch(`${AT}/moved`)
    expect(response.status).toBe(307)
    expect(response.headers.get('location')).toBe(`${AT}/pier`)
  }),
  http(61, 'has no page at the name of the file of an index page', async (site) => {
    await expectMissing(site, '/index')
    await expectMissing(site, `${AT}/index`)
  }),
  http(75, 'has no page where there is none', (site) => expectMissing(site, `${AT}/nowhere`)),
  http(76, 'has no page at a path of another case', (site) => expectMissing(site, '/Client-Navigation/PIER')),
  http(77, 'gives a page the parameter within its path', async (site) => {
    expect(await site.stateOf(`${AT}/berths/south/boat`)).toMatchObject({ query: { berth: 'south' } })
  }),
  http(78, 'has no page at a path of another case after a parameter', (site) =>
    expectMissing(site, `${AT}/berths/south/BOAT`),
  ),
  http(79, 'leads from a path with a slash at its end to the page', async (site) => {
    const response = await site.fetch(`${AT}/pier/`, { redirect: 'follow' })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('The pier')
  }),
  http(80, 'loads no script of the address that has no page', async (site) => {
    const html = await site.text(`${AT}/nowhere`)
    const scripts = [...html.matchAll(/<script[^>]* src="([^"]*)"/g)].map(([, src]) => src)
    expect(scripts).not.toEqual([])
    expect(scripts.filter((src) => src?.includes('nowhere'))).toEqual([])
  }),
  http(84, 'serves a page that imports a CommonJS module of the app', async (site) => {
    expect(await site.text(`${AT}/timetable`)).toContain('every hour')
  }),
  http(85, 'serves the index page of a folder with the name index', async (site) => {
    expect(await site.text(`${AT}/folder/index`)).toContain('A folder with the name index')
  }),
] satisfies readonly Behaviour[]
