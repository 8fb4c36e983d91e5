// The query of the router after a rewrite, and the URL that data functions see.

import type { Semantics } from '@portico/shared/wire/semantics.ts'
import { describe, expect, it } from 'vitest'
import { paramsOf, paramsShown, requestSeen } from './data-arguments.ts'

const of = (search: string, requested: string, mode: { semantics: Semantics } = { semantics: { addedQuery: true } }) =>
  paramsShown(mode, { pathname: '/', params: { id: '7' }, search }, { search: requested })

it('X4 has the values of the query that a rewrite has added or changed, and the parameters of the route before them', () => {
  expect(of('?a=b', '?a=b')).toEqual({ id: '7' })
  expect(of('?x=1&list=1&list=2&a=b', '?a=b')).toEqual({ x: '1', list: ['1', '2'], id: '7' })
  expect(of('?a=c&id=8', '?a=b&id=9')).toEqual({ a: 'c', id: '7' })
})

it('X4 has the parameters of the route only, without `addedQuery`', () => {
  expect(of('?x=1', '', { semantics: {} })).toEqual({ id: '7' })
})

it('X4 gives the data function no parameters of a page whose path has none, as Next.js does', () => {
  const about = { entry: { pattern: '/about' }, params: {} }
  const docs = { entry: { pattern: '/docs/[[...path]]' }, params: {} }
  expect(paramsOf({ semantics: { noEmptyParams: true } }, about)).toEqual({})
  expect(paramsOf({ semantics: { noEmptyParams: true } }, docs)).toEqual({ params: {} })
  expect(paramsOf({ semantics: {} }, about)).toEqual({ params: {} })
})

describe('X7 the URL of the request of a data function', () => {
  const i18n = { locales: ['en', 'fr'], defaultLocale: 'en' }
  const urlOf = (mode: object, url: string, as: 'html' | 'data' | 'next-data') =>
    requestSeen({ semantics: { requestUrl: true }, basePath: '', buildId: 'b1', ...mode }, { url, as }).url

  it.each([
    [{}, '/a?b=c', '/a?b=c', '/_next/data/b1/a.json?b=c'],
    [{}, '/', '/', '/_next/data/b1/index.json'],
    [{}, '/a%20b', '/a%20b', '/_next/data/b1/a%20b.json'],
    [{ basePath: '/base' }, '/base/a?b=c', '/a?b=c', '/_next/data/b1/a.json?b=c'],
    [{ basePath: '/base' }, '/base?b=c', '/?b=c', '/_next/data/b1/index.json?b=c'],
    [{ i18n }, '/fr/a?b=c', '/a?b=c', '/a?b=c'],
    [{ i18n, basePath: '/base' }, '/base/fr', '/', '/'],
    [{ semantics: {}, basePath: '/base' }, '/base/a?b=c', '/base/a?b=c', '/base/a?b=c'],
  ])('is that of Next.js in %j for %s', (mode, url, ofDocument, ofData) => {
    expect(urlOf(mode, url, 'html')).toBe(ofDocument)
    for (const as of ['data', 'next-data'] as const) expect(urlOf(mode, url, as)).toBe(ofData)
  })
})
