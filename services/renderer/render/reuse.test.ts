// Which pages shared caches may keep by the header rules of the site.

import { expect, test } from 'vitest'
import { sharedByRules } from './server-page.ts'

test('A5 a header rule for shared caches counts on its paths, under any conditions', () => {
  const header = { key: 'CDN-Cache-Control', value: 'max-age=60' }
  const rules = [
    { source: '/news/:rest*', headers: [header], has: [{ type: 'header' as const, key: 'x-test' }] },
    { source: '/private', headers: [{ key: 'Cache-Control', value: 'public, max-age=60' }] },
    { source: '/base/whole', headers: [header], basePath: false as const },
    { source: '/whole/other', headers: [header], basePath: false as const },
  ]
  const paths = ['/news', '/news/today', '/private', '/', '/whole', '/whole/other']
  expect(paths.map((path) => sharedByRules({ headers: rules, basePath: '/base' }, path))).toEqual([
    ['cdn-cache-control'],
    ['cdn-cache-control'],
    [],
    [],
    ['cdn-cache-control'],
    [],
  ])
})
