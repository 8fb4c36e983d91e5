// Routes of the browser for paths that only rewrites know.

import { expect, test } from 'vitest'
import { guardedPatterns, rewrittenRoutes } from '../testing.ts'

const PAGES = ['/about', '/posts/[id]', '/docs/[[...path]]'].map((pattern) => ({
  pattern,
  data: 'none' as const,
  files: { js: [pattern], css: [] },
}))

/** Sources by the page that they probably lead to. */
function routes(rules: Record<string, string>) {
  const rewrites = Object.entries(rules).map(([source, destination]) => ({ source, destination }))
  const found = rewrittenRoutes(rewrites, PAGES as unknown as Parameters<typeof rewrittenRoutes>[1])
  return found.map(({ pattern, files }) => [pattern, (files as unknown as (typeof PAGES)[0]['files']).js[0]])
}

test('W7 a rewrite to a page is a route of the browser', () => {
  expect(
    routes({
      '/us': '/about',
      '/blog/:id': '/posts/:id?from=blog',
      '/number-:id': '/posts/number-:id',
      '/guide/:path*': '/docs/:path*',
      '/old/:path+/end': '/docs/:path*',
      '/:tongue(de|fi)/about': '/about',
      '/caf%C3%A9': '/about',
    }),
  ).toEqual([
    ['/us', '/about'],
    ['/blog/[p1]', '/posts/[id]'],
    ['/[p0]', '/posts/[id]'],
    ['/guide/[[...rest]]', '/docs/[[...path]]'],
    ['/old/[[...rest]]', '/docs/[[...path]]'],
    ['/[p0]/about', '/about'],
    ['/café', '/about'],
  ])
})

test('W7 a rewrite to the path of another one leads to the page of that one', () => {
  expect(routes({ '/a': '/b', '/b': '/c/one', '/c/:x': '/about/:more*', '/d': '/e' })).toEqual([
    ['/c/[p1]', '/about'],
    ['/b', '/about'],
    ['/a', '/about'],
  ])
  expect(routes({ '/old/:path*': '/new/:path*', '/new/us': '/about', '/x/:y': '/z/:y' })).toEqual([
    ['/new/us', '/about'],
    ['/old/[[...rest]]', '/about'],
  ])
})

test('W7 a rewrite to another host, to no page or from the route of a page is none', () => {
  expect(
    routes({
      '/about': '/docs',
      '/posts/:other': '/about',
      '/elsewhere': 'https://example.org/',
      '/api-of-old': '/api/new',
      '/file': '/file.pdf',
    }),
  ).toEqual([])
})

test('W7 the first of two rewrites of the same paths is the route', () => {
  expect(routes({ '/a/:x': '/about', '/a/:y': '/posts/:y' })).toEqual([['/a/[p1]', '/about']])
})

test('X15 patterns for a browser fit every path for which middleware may run', () => {
  const patterns = (...sources: string[]) => guardedPatterns(sources.map((source) => ({ source })))
  expect(patterns('/shop/:item', '/shop/:other', '/a/:rest*', '/old-:name')).toEqual([
    '/shop/[p1]',
    '/a/[[...rest]]',
    '/[p0]',
  ])
  expect(patterns('/shop', '/((?!api|_next/static).*)')).toEqual(['/[[...rest]]'])
  expect(patterns('/shop', '/a[b]')).toEqual(['/[[...rest]]'])
  expect(guardedPatterns([{ source: '/de/shop', locale: false }])).toEqual(['/[[...rest]]'])
})
