// Behaviours over HTTP as plain data: what is requested, and what the response has. `responses` makes behaviours of the
// rows of a suite, and `expectResponse` is the one place that reads a row.

import { expect } from 'vitest'
import type { HttpBehaviour, HttpSite, PageState } from './behaviour.ts'
import type { ConfigurationName } from './configurations.ts'
import { readState } from './site.ts'

/** A text that is contained, or an expression that matches. */
type Pattern = string | RegExp
type OneOrMore<Value> = Value | readonly Value[]

/** A request, and all that is expected of its response. What a row does not name is not looked at. */
export interface Exchange {
  /** Each of these paths responds as expected. They are below the path `at` of the suite; `{build}` is the id of the build. */
  path?: OneOrMore<string>
  /** Instead of `path`: the address of the page data of each of these paths, which may have a query. */
  data?: OneOrMore<string>
  /** What the request has besides its path. A redirect is a response, too, unless it has `redirect: 'follow'`. */
  request?: RequestInit
  status?: number
  /** Headers of the response; `null` for one that it does not have. */
  headers?: Readonly<Record<string, Pattern | null>>
  /** The header `location` without the address of the site, character by character. */
  location?: string
  /** Where `location` leads: origin, path, query and fragment, however they are encoded. Without a host it is this site. */
  to?: string
  /** The path alone to which `location` leads. */
  toPath?: string
  /** The URL of the response after redirects, without the address of the site. */
  url?: string
  /** The whole body. */
  body?: string
  text?: OneOrMore<Pattern>
  without?: OneOrMore<Pattern>
  /** The whole body, as JSON. */
  json?: unknown
  /** A part of the body, as JSON. */
  jsonPart?: object
  /** A part of what the page shows. */
  state?: Partial<PageState>
  /** All that the page shows. */
  wholeState?: PageState
  /** The whole query that the page shows. */
  query?: object
  /** All that the page shows of its props. */
  props?: unknown
  /** The whole `pageProps` of page data. */
  pageProps?: unknown
  /** A part of them. */
  pagePropsPart?: object
  /** The whole `params` in them. */
  params?: object
  /** A part of the element `__NEXT_DATA__`. */
  nextData?: object
  /** Names that this element does not have. */
  withoutNextData?: readonly string[]
  /** The attribute `lang` of the document. */
  lang?: string
}

/** One behaviour: an exchange, or several in turn. */
export interface ResponseRow extends Exchange {
  requests?: readonly Exchange[]
  /** Numbers of further tests of the file that the row proves. */
  also?: readonly number[]
  configuration?: ConfigurationName
  /** What Portico does instead, on purpose. */
  differs?: Exchange & { reason: string; requests?: readonly Exchange[] }
}

/** By the number of the test and the sentence of the behaviour: `12 serves the page`. */
export type ResponseRows = Readonly<Record<`${number} ${string}`, ResponseRow>>

interface Defaults {
  /** Before each path. */
  at?: string
  configuration?: ConfigurationName
}

/** Makes a behaviour of each row. */
export function responses(suite: string, rows: ResponseRows, { at = '', ...defaults }: Defaults = {}): HttpBehaviour[] {
  return Object.entries(rows).map(([title, { also, configuration, differs, ...row }]) => {
    const [, number = '', does = ''] = /^(\d+) (.+)$/s.exec(title) ?? []
    if (number === '') throw new Error(`${suite} "${title}": must be the number of a test and a sentence`)
    return {
      ...defaults,
      id: `${suite}-${number}`,
      does,
      via: 'http',
      run: (site) => expectResponses(site, row, at),
      ...(also && { also }),
      ...(configuration && { configuration }),
      ...(differs && { differs: { reason: differs.reason, run: (site) => expectResponses(site, differs, at) } }),
    }
  })
}

async function expectResponses(site: HttpSite, { requests, ...own }: ResponseRow, at: string): Promise<void> {
  for (const exchange of requests ?? [own]) await expectResponse(site, exchange, at)
}

/** Members of a row that its interpreter reads without the body of the response. */
const HEAD: ReadonlySet<string> = new Set([
  ...['path', 'data', 'request', 'reason', 'configuration', 'also', 'differs'],
  ...['status', 'headers', 'location', 'to', 'toPath', 'url'],
])

/** Sends the requests of a row, one after the other, and checks each response. */
export async function expectResponse(site: HttpSite, exchange: Exchange, at = ''): Promise<void> {
  const paths = listOf(exchange.path).map((path) => at + path.replace('{build}', site.buildId))
  const dataPaths = listOf(exchange.data).map((path) => site.dataAt(at + path))
  const all = [...paths, ...dataPaths]
  if (all.length === 0) throw new Error('a row has no path')
  for (const path of all) {
    const response = await site.fetch(path, exchange.request)
    expectHead(site, path, response, exchange)
    // A server may close the connection of a request whose body it refuses: no other request uses that one again.
    if (Object.keys(exchange).every((name) => HEAD.has(name))) await response.body?.cancel()
    else expectBody(path, await response.text(), exchange)
  }
}

function expectHead(site: HttpSite, path: string, response: Response, exchange: Exchange): void {
  const { status, headers = {}, location, to, toPath, url } = exchange
  if (status !== undefined) expect(response.status, `status of ${path}`).toBe(status)
  for (const [name, expected] of Object.entries(headers)) {
    const found = response.headers.get(name)
    if (expected instanceof RegExp) expect(found, `${name} of ${path}`).toMatch(expected)
    else expect(found, `${name} of ${path}`).toBe(expected)
  }
  const target = response.headers.get('location')
  if (location !== undefined) expect(target?.replace(site.origin, ''), `location of ${path}`).toBe(location)
  if (to !== undefined) {
    expect(target, `location of ${path}`).not.toBeNull()
    expect(partsOf(target ?? '', site), `location of ${path}`).toEqual(partsOf(to, site))
  }
  if (toPath !== undefined) {
    expect(target, `location of ${path}`).not.toBeNull()
    expect(new URL(target ?? '', site.origin).pathname, `location of ${path}`).toBe(toPath)
  }
  if (url !== undefined) expect(response.url, `address after ${path}`).toBe(site.origin + url)
}

function expectBody(path: string, text: string, exchange: Exchange): void {
  if (exchange.body !== undefined) expect(text, `body of ${path}`).toBe(exchange.body)
  for (const pattern of listOf(exchange.text)) {
    if (pattern instanceof RegExp) expect(text, `body of ${path}`).toMatch(pattern)
    else expect(text, `body of ${path}`).toContain(pattern)
  }
  for (const pattern of listOf(exchange.without)) {
    if (pattern instanceof RegExp) expect(text, `body of ${path}`).not.toMatch(pattern)
    else expect(text, `body of ${path}`).not.toContain(pattern)
  }
  if ('json' in exchange) expect(JSON.parse(text), `body of ${path}`).toEqual(exchange.json)
  if (exchange.jsonPart) expect(JSON.parse(text), `body of ${path}`).toMatchObject(exchange.jsonPart)
  if (exchange.state) expect(readState(text), `state of ${path}`).toMatchObject(exchange.state)
  if (exchange.wholeState) expect(readState(text), `state of ${path}`).toEqual(exchange.wholeState)
  if (exchange.query) expect(readState(text).query, `query of ${path}`).toEqual(exchange.query)
  if ('props' in exchange) expect(readState(text).props, `props of ${path}`).toEqual(exchange.props)
  if ('pageProps' in exchange) expect(pagePropsOf(text), `data of ${path}`).toEqual(exchange.pageProps)
  if (exchange.pagePropsPart) expect(pagePropsOf(text), `data of ${path}`).toMatchObject(exchange.pagePropsPart)
  if (exchange.params) expect(pagePropsOf(text).params, `params of ${path}`).toEqual(exchange.params)
  if (exchange.nextData) expect(nextDataOf(text), `data element of ${path}`).toMatchObject(exchange.nextData)
  for (const name of exchange.withoutNextData ?? [])
    expect(nextDataOf(text), `data element of ${path}`).not.toHaveProperty(name)
  if (exchange.lang !== undefined)
    expect(/<html[^>]* lang="([^"]*)"/.exec(text)?.[1], `language of ${path}`).toBe(exchange.lang)
}

/** What is compared of a URL: percent-encoding of a query is not unique, and the order of its names means nothing. */
function partsOf(address: string, { origin: own }: HttpSite) {
  const { origin, pathname, searchParams, hash } = new URL(address, own)
  searchParams.sort()
  return { origin, pathname, query: [...searchParams], hash }
}

const pagePropsOf = (text: string) => (JSON.parse(text) as { pageProps: { params?: unknown } }).pageProps

function nextDataOf(html: string): unknown {
  const found = /<script id="__NEXT_DATA__"[^>]*>(.*?)<\/script>/s.exec(html)?.[1]
  if (found === undefined) throw new Error(`the page has no element __NEXT_DATA__: ${html.slice(0, 2000)}`)
  return JSON.parse(found)
}

function listOf<Value>(given: OneOrMore<Value> | undefined): readonly Value[] {
  if (given === undefined) return []
  return Array.isArray(given) ? given : [given as Value]
}
