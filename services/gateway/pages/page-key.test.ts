// Which requests the page cache serves, and under which key.

import type { DataKind } from '@portico/shared/wire/build-output.ts'
import type { Resolution } from '@portico/shared/wire/routing/resolve-page.ts'
import type { Representation } from '@portico/shared/wire/routing/urls.ts'
import { expect, it, test } from 'vitest'
import { notFoundScreen, type Page, pageKey, pageOf } from './page-key.ts'

const files = { module: '', imports: [], styles: [] }
const page = (pattern: string, data: DataKind, params = {}): Resolution => ({
  kind: 'page',
  entry: { pattern, file: '', data, files },
  params,
  pathname: '/requested',
  search: '?q=1',
})

test.each<[string, Resolution | undefined, Representation, string]>([
  ['a page without data', page('/about', 'none'), 'html', '[] /about'],
  ['a page with static data', page('/posts/[id]', 'static', { id: 'ä' }), 'data', '["ä"] /posts/[id]'],
  ['a page of each client', page('/me', 'server'), 'html', 'per-request'],
  ['an address without a page', { kind: 'no-match' }, 'html', '[] /404'],
  ['page data of an address without a page', { kind: 'no-match' }, 'data', 'no-page'],
  [
    'Next.js page data of a page with static data',
    page('/posts/[id]', 'static', { id: 'a' }),
    'next-data',
    '["a"] /posts/[id]',
  ],
  ['Next.js page data of a page without data', page('/about', 'none'), 'next-data', 'no-data'],
  ['Next.js page data of an address without a page', { kind: 'no-match' }, 'next-data', 'no-page'],
  ['a malformed address', { kind: 'malformed' }, 'html', 'no-page'],
  ['page data of another build', undefined, 'data', 'no-page'],
])('C2 %s', (_title, resolution, as, name) => {
  const found = pageOf(resolution, as)
  expect(typeof found === 'string' ? found : found.name).toBe(name)
})

it('C2 the key has version, pattern and params, and nothing of the address', () => {
  const kept = (as: Representation) => pageOf(page('/posts/[id]', 'static', { id: 'a b' }), as) as Page
  const found = kept('html')
  expect(pageKey('build1.x/docs', found)).toBe('build1.x/docs ["a b"] /posts/[id]')
  // One home for all representations, so that the data function runs once.
  const next = kept('next-data')
  expect(next.name).toBe(found.name)
  expect(pageKey('build1.x/docs', next)).toBe('build1.x/docs next-data ["a b"] /posts/[id]')
  expect(found.isFixed).toBe(false)
  expect(notFoundScreen().isFixed).toBe(true)
})
