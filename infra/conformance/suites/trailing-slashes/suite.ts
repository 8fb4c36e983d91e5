// The suite of the slash at the end of paths. Helper functions of the upstream file make its tests, in three production
// runs: these are counted, in the order of the file. Its development runs make the same tests.

import { FILE, type Suite, upstream } from '../../harness/suite.ts'
import { type Form, leavesOthers, linksTo, redirects, resolves } from './behaviours.ts'

const AT = '/trailing-slashes'

/** The links of the page, where `slash` ends the paths of pages. */
const linksWith = (slash: '' | '/'): Form['links'] => ({
  '/about': `${AT}/about${slash}`,
  '': AT + slash,
  '/about/': `${AT}/about${slash}`,
  '/deep/one/': `${AT}/deep/one${slash}`,
  '/about?at=door': `${AT}/about${slash}?at=door`,
  '/deep/one.two/': `${AT}/deep/one.two`,
  '/about/?at=door': `${AT}/about${slash}?at=door`,
})

const WITHOUT: Form = { configuration: 'main', at: AT, page: AT, links: linksWith('') }

const WITH: Form = { configuration: 'trailing-slash', at: AT, page: `${AT}/`, links: linksWith('/') }

const BELOW: Form = {
  configuration: 'basepath-trailing-slash',
  at: '/library',
  page: '/library/near/',
  links: { '': '/library/', '/trailing-slashes/about': '/library/trailing-slashes/about/' },
}

export const trailingSlashes: Suite = {
  name: 'trailing-slashes',
  source: upstream('test/integration/trailing-slashes/test/index.test.js'),
  tests: 20,
  rows: {
    // Without the slash.
    8: FILE,
    // With it.
    16: FILE,
    // With it and a base path.
  },
  behaviours: [
    ...redirects(WITHOUT, '1 redirects to the path without the slash', {
      '/about/': '/about',
      '/deep/one/two/': '/deep/one/two',
      '/deep/one.two/': '/deep/one.two',
    }),
    ...resolves(WITHOUT, [2, 3], 'shows pages of paths without the slash', {
      '': '',
      '/about': '/about',
      '/deep/one/two': '/deep/[...path]',
      '/about?at=door': '/about',
    }),
    ...linksTo(WITHOUT, [4, 5, 6]),
    leavesOthers(WITHOUT, 7),
    ...redirects(WITH, '9 redirects to the path with the slash, without it for files', {
      '/about': '/about/',
      '/deep/one/two': '/deep/one/two/',
      '/deep/one.two/': '/deep/one.two',
    }),
    ...resolves(WITH, [10, 11], 'shows pages of paths with the slash', {
      '/': '',
      '/about/': '/about',
      '/deep/one/two/': '/deep/[...path]',
      '/about/?at=door': '/about',
    }),
    ...linksTo(WITH, [12, 13, 14]),
    leavesOthers(WITH, 15),
    ...redirects(BELOW, '17 redirects to the path with the slash, below the base path', {
      '': '/',
      '/near': '/near/',
      '/trailing-slashes/deep/one/two': '/trailing-slashes/deep/one/two/',
      '/trailing-slashes/deep/one.two/': '/trailing-slashes/deep/one.two',
    }),
    ...linksTo(BELOW, [18, 19, 20]),
  ],
}
