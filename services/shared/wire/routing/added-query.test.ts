// The query of a page after a rewrite, and its way to the browser.

import { expect, it } from 'vitest'
import { formatPassedRoute, parsePassedRoute } from '../passed-route.ts'
import { pageOf } from '../testing/page-entry.ts'
import { addedQuery, formatAddedQuery, parseAddedQuery, queryOf } from './added-query.ts'
import { createPageResolver } from './resolve-page.ts'

const resolve = createPageResolver({
  pages: ['/shop', '/notes'].map(pageOf),
  rewrites: [
    { source: '/by/:path*', destination: '/between?by=rewrite' },
    { source: '/between', destination: '/shop' },
    { source: '/note/:name', destination: '/notes' },
  ],
})
const NO_FACTS = { header: () => undefined, cookie: () => undefined, query: () => undefined, host: () => '' }

function find(pathname: string, search = '') {
  const found = resolve(pathname, search, NO_FACTS)
  if (found.kind !== 'page') throw new Error(`${pathname}: ${found.kind}`)
  return found
}

it('X5 the segments of a catch-all are a list in the query, also one segment, and after further rules', () => {
  expect(queryOf(find('/by/lake', '?c=d'))).toEqual({ by: 'rewrite', path: ['lake'], c: 'd' })
  expect(queryOf(find('/by/lake/mill'))).toEqual({ by: 'rewrite', path: ['lake', 'mill'] })
  expect(queryOf(find('/by'))).toEqual({ by: 'rewrite' })
  expect(queryOf(find('/note/one'))).toEqual({ name: 'one' })
})

it('X5 W9 the renderer receives which values are lists', () => {
  const resolution = find('/by/lake')
  const text = formatPassedRoute({ version: 'v', resolution, isRewritten: true })
  expect(parsePassedRoute(text ?? '')?.page).toMatchObject({ target: '/shop?by=rewrite&path=lake', lists: ['path'] })
  expect(parsePassedRoute((text ?? '').replace('["path"]', '[1]'))).toBeUndefined()
})

it('X5 the browser receives what a rewrite has added or changed', () => {
  const added = addedQuery(find('/by/lake', '?c=d&by=hand'), '?c=d&by=hand')
  expect(added).toEqual({ by: 'rewrite', path: ['lake'] })
  expect(parseAddedQuery(formatAddedQuery(added) ?? '')).toEqual(added)
})

it('X5 the text fits into a quoted string of a header, whatever the values are', () => {
  const values = { a: '"\\\r\n;,\u00e9', b: ['\ud800', ''] }
  const text = formatAddedQuery(values)
  expect(text).toMatch(/^[\w%!~*'().-]+$/)
  expect(parseAddedQuery(text ?? '')).toEqual(values)
  expect(['%', '', '5', '[]', '%7B%22a%22%3A1%7D'].map(parseAddedQuery)).toEqual([{}, {}, {}, {}, {}])
  expect([formatAddedQuery({}), formatAddedQuery({ a: 'x'.repeat(3000) })]).toEqual([undefined, undefined])
})
