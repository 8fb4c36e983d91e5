// The query of the router after a rewrite.

import { expect, it } from 'vitest'
import { paramsOf, paramsShown } from './rewritten-page.ts'

const of = (search: string, requested: string, mode: { isNext?: true } = { isNext: true }) =>
  paramsShown(mode, { pathname: '/', params: { id: '7' }, search }, { search: requested })

it('X4 has the values of the query that a rewrite has added or changed, and the parameters of the route before them', () => {
  expect(of('?a=b', '?a=b')).toEqual({ id: '7' })
  expect(of('?x=1&list=1&list=2&a=b', '?a=b')).toEqual({ x: '1', list: ['1', '2'], id: '7' })
  expect(of('?a=c&id=8', '?a=b&id=9')).toEqual({ a: 'c', id: '7' })
})

it('X4 has the parameters of the route only, outside of compatibility mode', () => {
  expect(of('?x=1', '', {})).toEqual({ id: '7' })
})

it('X4 gives the data function no parameters of a page whose path has none, as Next.js does', () => {
  const about = { entry: { pattern: '/about' }, params: {} }
  const docs = { entry: { pattern: '/docs/[[...path]]' }, params: {} }
  expect(paramsOf({ isNext: true }, about)).toEqual({})
  expect(paramsOf({ isNext: true }, docs)).toEqual({ params: {} })
  expect(paramsOf({}, about)).toEqual({ params: {} })
})
