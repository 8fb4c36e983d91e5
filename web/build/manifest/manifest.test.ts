// What the browser's manifest says of the data of pages and screens.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { expect, test } from 'vitest'
import { browserManifestOf } from './manifest.ts'

test('X11 X15 in a site with middleware the browser requests initial props from the server', () => {
  const pages = (['initial', 'static', 'server', 'none'] as const).map((data) => ({ pattern: `/${data}`, data }))
  // The cast: other members are not read.
  const manifest = {
    buildId: 'b',
    semantics: {},
    pages,
    screens: [],
    rewrites: [],
    csp: { site: {}, routes: {} },
  } as unknown as Manifest
  const kindsOf = (site: Manifest) => browserManifestOf(site).pages.map(({ data }) => data)
  expect(kindsOf(manifest)).toEqual(['initial', 'static', 'server', 'none'])
  expect(kindsOf({ ...manifest, middleware: { matchers: [] } })).toEqual(['server', 'static', 'server', 'none'])
})

test('X9 the browser knows which screens have data that comes with their document', () => {
  const screens = (['static', 'none'] as const).map((data) => ({ pattern: `/${data}`, data, files: {} }))
  // The cast: other members are not read.
  const manifest = {
    buildId: 'b',
    semantics: {},
    pages: [],
    screens,
    rewrites: [],
    csp: { site: {}, routes: {} },
  } as unknown as Manifest
  expect(browserManifestOf(manifest).screens.map(({ hasData }) => hasData)).toEqual([true, undefined])
})

test('X15 the browser knows where middleware may run with `guardedLinks` only', () => {
  // The cast: other members are not read.
  const manifest = {
    buildId: 'b',
    semantics: {},
    pages: [],
    screens: [],
    rewrites: [],
    middleware: { matchers: [{ source: '/members/:path*' }] },
    csp: { site: {}, routes: {} },
  } as unknown as Manifest
  expect(browserManifestOf(manifest).guarded).toBeUndefined()
  expect(browserManifestOf({ ...manifest, semantics: { guardedLinks: true } }).guarded).toHaveLength(1)
})
