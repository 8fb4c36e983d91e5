// The tables at the end of a build.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { expect, test } from 'vitest'
import { sizeTable } from './size-table.ts'

test('O1 a feed and a sitemap have no sizes, because browsers load no script of them', () => {
  const files = { module: 'page.js', imports: [], styles: [] }
  const page = (pattern: string) => ({ pattern, data: 'server', files })
  // The members that the table reads.
  const manifest = {
    browserEntry: { module: 'entry.js', imports: [], styles: [] },
    staticFiles: { 'entry.js': { size: 2000, encodings: {} }, 'page.js': { size: 1000, encodings: {} } },
    pages: ['/feed.xml', '/sitemap.xml', '/old.html', '/[slug]'].map(page),
    screens: [],
    apiRoutes: [],
  } as unknown as Manifest
  const rows = sizeTable(manifest).filter((line) => line.startsWith('ƒ /'))
  expect(rows.map((line) => /KB/.test(line))).toEqual([false, false, true, true])
})
