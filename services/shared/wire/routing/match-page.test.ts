// Pages that list their paths, next to rewrites and other pages.

import { expect, it } from 'vitest'
import { NO_FACTS } from '../patterns/conditions.ts'
import { pageOf } from '../testing/page-entry.ts'
import { paramsKey } from './page-key.ts'
import { createTargetResolver } from './resolve-page.ts'

type ResolverTables = Parameters<typeof createTargetResolver>[0]

const POST = '/posts/[name]'
const FILE = '/posts/[...path]'
const PAGES = [
  { ...pageOf(POST), listed: [paramsKey(POST, { name: 'first' })] },
  { ...pageOf(FILE), listed: [paramsKey(FILE, { path: ['second'] }), paramsKey(FILE, { path: ['a', 'b'] })] },
  pageOf('/old'),
]

const resolver = (tables: Partial<ResolverTables>) => {
  const resolve = createTargetResolver({ pages: PAGES, rewrites: [], semantics: { dataUrls: true }, ...tables })
  return (path: string, search = '') => {
    const target = resolve(path, search, NO_FACTS)
    return target.kind === 'page' ? [target.entry.pattern, target.params] : target.kind
  }
}

it('X9 R2 a path that a page does not list is that of the next page that lists it', () => {
  const find = resolver({})
  expect(find('/posts/first')).toEqual([POST, { name: 'first' }])
  expect(find('/posts/second')).toEqual([FILE, { path: ['second'] }])
  expect(find('/posts/a/b')).toEqual([FILE, { path: ['a', 'b'] }])
})

it('X9 a path that none lists is that of the first page, which responds with 404, or with a draft', () => {
  expect(resolver({})('/posts/third')).toEqual([POST, { name: 'third' }])
  expect(resolver({})('/posts/c/d')).toEqual([FILE, { path: ['c', 'd'] }])
})

it('X9 a path that none lists is that of a page without a list', () => {
  const find = resolver({ pages: [...PAGES, pageOf('/[...all]')] })
  expect(find('/posts/third')).toEqual(['/[...all]', { all: ['posts', 'third'] }])
  expect(find('/posts/%')).toBe('malformed')
})

it.each(['fallback', undefined] as const)('X9 R7 a path that none lists is that of a rewrite: %s', (phase) => {
  const rule = { source: '/posts/:path*', ...(phase && { phase }) }
  const find = resolver({ rewrites: [{ ...rule, destination: '/old' }] })
  expect(find('/posts/third')).toEqual(['/old', {}])
  expect(find('/posts/second')).toEqual(phase ? [FILE, { path: ['second'] }] : ['/old', {}])
  const away = resolver({ rewrites: [{ ...rule, destination: 'https://old.example/:path*' }] })
  expect(away('/posts/third')).toBe('external')
  const nowhere = resolver({ rewrites: [{ ...rule, destination: '/nowhere' }] })
  expect(nowhere('/posts/third')).toEqual([POST, { name: 'third' }])
})

it('X14 the key of a path has its locale', () => {
  const i18n = { locales: ['en', 'de'], defaultLocale: 'en', localeDetection: false }
  const listed = [paramsKey(POST, { name: 'erste' }, 'de')]
  const find = resolver({ i18n, pages: [{ ...pageOf(POST), listed }, pageOf('/[...all]')] })
  expect(find('/de/posts/erste')).toEqual([POST, { name: 'erste' }])
  expect(find('/posts/erste')).toEqual(['/[...all]', { all: ['posts', 'erste'] }])
})
