// Configurations with rules of one kind only: the other kinds are absent, and change nothing.

import { responses } from '../../harness/responses.ts'

export const oneKindBehaviours = responses('custom-routes', {
  '101 adds headers in a site with rules for headers only': {
    configuration: 'trailing-slash',
    requests: [
      { path: '/custom-routes/garden/', headers: { 'x-flowers': 'tulips', 'x-trees': 'an elm' } },
      { path: ['/custom-routes/map/', '/custom-routes/one/'], status: 404 },
    ],
  },
  '102 rewrites in a site with rewrites only': {
    configuration: 'other-hosts',
    requests: [
      { path: '/library/custom-routes/one', status: 200, headers: { 'x-flowers': null }, text: '<h1>Garden</h1>' },
      { path: '/library/custom-routes/map', status: 404 },
    ],
  },
  '103 redirects in a site with redirects only': {
    configuration: 'basepath-trailing-slash',
    requests: [
      { path: '/library/custom-routes/map/', status: 301, toPath: '/library/custom-routes/garden/' },
      { path: '/library/custom-routes/garden/', headers: { 'x-flowers': null } },
      { path: '/library/custom-routes/one/', status: 404 },
    ],
  },
})
