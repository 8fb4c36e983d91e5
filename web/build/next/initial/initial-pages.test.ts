// The kind of data of each page, from what the loaded pages have (X11).

import { expect, test } from 'vitest'
import { kindsOf } from '../testing.ts'

type InitialPages = Parameters<typeof kindsOf>[0]

const kindOf = (pages: Partial<InitialPages>) => kindsOf({ ofApp: false, own: [], likely: [], ...pages })
const page = { pattern: '/a', file: 'pages/a.tsx' }

test('X11 a page without a data function has initial props by its own getInitialProps, or by that of _app', () => {
  expect(kindOf({})(page, 'none')).toBe('none')
  expect(kindOf({ own: ['/b'] })(page, 'none')).toBe('none')
  for (const pages of [{ own: ['/a'] }, { likely: ['/a'] }, { ofApp: true }])
    expect(kindOf(pages)(page, 'none')).toBe('initial')
  for (const exported of ['static', 'server'] as const) {
    expect(kindOf({ ofApp: true })(page, exported)).toBe(exported)
    // The source may name the function of another component.
    expect(kindOf({ likely: ['/a'] })(page, exported)).toBe(exported)
  }
})

test('X11 getInitialProps next to another data function, and in pages/404 and pages/500, is refused', () => {
  const kind = kindOf({ own: ['/a', '/404', '/500', '/_error'] })
  expect(() => kind(page, 'server')).toThrow('must not have both getInitialProps and getServerSideProps')
  expect(() => kind(page, 'static')).toThrow('must not have both getInitialProps and getStaticProps')
  for (const pattern of ['/404', '/500'])
    expect(() => kind({ pattern, file: `pages${pattern}.tsx` }, 'none')).toThrow('is not possible in this screen')
  for (const pattern of ['/404', '/_error']) expect(kind({ pattern, file: 'pages/_error.tsx' }, 'none')).toBe('initial')
})
