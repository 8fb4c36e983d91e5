// Redirects whose destination the site does not have (F2).

import { expect, it } from 'vitest'
import { lostRedirects } from './testing.ts'

const page = (pattern: string) => ({ pattern, file: `pages${pattern}.tsx` })
const SITE = {
  semantics: {},
  pages: [page('/guestbook'), page('/posts/[slug]')],
  apiRoutes: [page('/api/notes')],
  publicFiles: { '/note.txt': {} },
  rewrites: [],
} as unknown as Parameters<typeof lostRedirects>[0]
const lost = (destination: string, more: object = {}) =>
  lostRedirects({ ...SITE, redirects: [{ source: '/book', destination, status: 307 }], ...more })

it('F2 names a redirect to a path of nothing, with the page that was probably meant', () => {
  expect(lost('/gestbook?a=1')).toEqual([
    'redirects: "/book" leads to /gestbook?a=1, which is no page, file or API handler of the site; did you mean /guestbook?',
  ])
})

it.each([
  '/guestbook',
  '/guestbook/?a=1#b',
  '/posts/one',
  '/api/notes',
  '/note.txt',
  '/:slug',
  'https://a.example/x',
  '//a.example/x',
])('F2 says nothing of a redirect to %s', (destination) => {
  expect(lost(destination)).toEqual([])
})

it.each([
  ['a rewrite', { rewrites: [{ source: '/a', destination: '/guestbook' }] }],
  ['middleware', { middleware: { matchers: [{}] } }],
  ['a locale', { i18n: { locales: ['en'], defaultLocale: 'en' } }],
  ['Next.js', { semantics: { lostRedirects: true } }],
  [
    'another redirect',
    {
      redirects: [
        { source: '/a', destination: '/b', status: 307 },
        { source: '/b', destination: '/guestbook', status: 307 },
      ],
    },
  ],
])('F2 says nothing where %s may have the path', (_what, more) => {
  expect(lost('/gone', more)).toEqual([])
})
