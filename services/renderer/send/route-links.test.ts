import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import { expect, test } from 'vitest'
import { createRouteLinks } from './send.ts'

const files = (module: string, imports: string[] = [], styles: string[] = []): RouteFiles => ({
  module,
  imports,
  styles,
})

function manifestOf(pages: Record<string, RouteFiles>, basePath = ''): Manifest {
  const entries = Object.entries(pages).map(([pattern, each]) => ({ pattern, file: '', data: 'none', files: each }))
  const browserEntry = files('start.js', ['react.js'], ['app.css'])
  // Links use no other member.
  return { basePath, pages: entries, screens: [], browserEntry } as unknown as Manifest
}

test('G3 names the files of a route once each, styles first, scripts with low priority', () => {
  const linksOf = createRouteLinks(
    manifestOf({ '/': files('home.js', ['react.js', 'card.js'], ['home.css']) }, '/base'),
  )
  expect(linksOf('/')?.split(', ')).toEqual([
    '</base/_portico/static/app.css>; rel=preload; as=style',
    '</base/_portico/static/home.css>; rel=preload; as=style',
    '</base/_portico/static/start.js>; rel=modulepreload; fetchpriority=low',
    '</base/_portico/static/react.js>; rel=modulepreload; fetchpriority=low',
    '</base/_portico/static/card.js>; rel=modulepreload; fetchpriority=low',
    '</base/_portico/static/home.js>; rel=modulepreload; fetchpriority=low',
  ])
})

test('X1 names the fonts of a route behind its styles', () => {
  const linksOf = createRouteLinks(manifestOf({ '/': { ...files('home.js', [], ['home.css']), fonts: ['a.woff2'] } }))
  expect(linksOf('/')?.split(', ').slice(1, 4)).toEqual([
    '</_portico/static/home.css>; rel=preload; as=style',
    '</_portico/static/a.woff2>; rel=preload; as=font; crossorigin',
    '</_portico/static/start.js>; rel=modulepreload; fetchpriority=low',
  ])
})

test('G3 names the shared files for a screen without files', () => {
  const linksOf = createRouteLinks(manifestOf({}))
  expect(linksOf('/_error')).toContain('/_portico/static/start.js')
  expect(linksOf('/_error')).not.toContain('home')
})

test('G3 keeps the header short enough for proxies, for any number of files', () => {
  const many = Array.from({ length: 500 }, (_, at) => `chunk-${at}.js`)
  const value = createRouteLinks(manifestOf({ '/': files('home.js', many) }))('/') ?? ''
  expect(value.length).toBeLessThanOrEqual(2048)
  expect(value.endsWith('rel=modulepreload; fetchpriority=low')).toBe(true)
})

test('V1 names no address of the development server', () => {
  const { pages, screens, basePath } = manifestOf({ '/': files('/_portico/dev/pages/index.tsx') })
  const browserEntry = files('/_portico/dev/start.tsx', [], ['/_portico/dev/app.css'])
  expect(createRouteLinks({ pages, screens, basePath, browserEntry })('/')).toBeUndefined()
})
