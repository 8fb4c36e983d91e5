// The suite of a site whose _error is that of Next.js.

import { responses } from '../../harness/responses.ts'
import { FILE, type Suite, upstream } from '../../harness/suite.ts'

export const page404CustomError: Suite = {
  name: '404-page-custom-error',
  source: upstream('test/integration/404-page-custom-error/test/index.test.js'),
  tests: 6,
  rows: { 4: FILE, 5: FILE },
  behaviours: responses(
    '404-page-custom-error',
    {
      '1 shows the screen for a path without a page': { path: '/dynamic-routing/guests/anna/none', status: 404, text: 'This page could not be found' },
      '2 shows the screen for a page that fails': { path: '/getserversideprops/ships/sunk', status: 500, text: 'Internal Server Error' },
      '3 builds, and shows the other pages': { also: [6], path: '/probe', status: 200 },
    },
    { at: '/library', configuration: 'basepath' },
  ),
}
