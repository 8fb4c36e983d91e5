// The suite of pages/404 in a site whose _app has getInitialProps.

import { responses } from '../../harness/responses.ts'
import { FILE, notApplicable, type Suite, upstream } from '../../harness/suite.ts'

export const page404App: Suite = {
  name: '404-page-app',
  source: upstream('test/integration/404-page-app/test/index.test.js'),
  tests: 5,
  rows: { 3: FILE, 5: notApplicable('warnings of the development build') },
  behaviours: responses(
    '404-page-app',
    {
      '1 builds, and serves the page with the props of the app for a path without a page': {
        also: [4],
        path: '/nothing/grows',
        status: 404,
        text: '<p id="motto">Water at dawn</p>',
      },
      '2 renders the page for each request': { path: '/404', text: '"appGip":true', without: '"autoExport"' },
    },
    { configuration: 'app' },
  ),
}
