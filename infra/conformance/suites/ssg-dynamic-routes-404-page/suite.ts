// The suite of the page 404 of a page that has listed paths only.

import { responses } from '../../harness/responses.ts'
import { type Suite, upstream } from '../../harness/suite.ts'

export const ssgDynamicRoutes404Page: Suite = {
  name: 'ssg-dynamic-routes-404-page',
  source: upstream('test/integration/ssg-dynamic-routes-404-page/test/index.test.js'),
  tests: 2,
  rows: {},
  behaviours: responses('ssg-dynamic-routes-404-page', {
    '1 builds, and shows the page 404 of the site for a path that is not listed': {
      configuration: 'frame',
      also: [2],
      requests: [
        { path: '/posts/1', text: '<h1>Post</h1>' },
        { path: '/posts/2', status: 404, text: '404 Nowhere' },
      ],
    },
  }),
}
