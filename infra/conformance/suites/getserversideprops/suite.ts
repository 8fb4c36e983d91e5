// The suite of pages whose data is read for each request.

import { FILE, notApplicable, type Suite, upstream } from '../../harness/suite.ts'
import { browser } from './browser.ts'
import { http } from './http.ts'

const DEVELOPMENT = notApplicable('warnings of the development server')

export const getServerSideProps: Suite = {
  name: 'getserversideprops',
  source: upstream('test/e2e/getserversideprops/test/index.test.ts'),
  // A function called test, of an object in test 36, is none.
  tests: 55,
  rows: { 41: DEVELOPMENT, 42: DEVELOPMENT, 43: DEVELOPMENT, 44: DEVELOPMENT, 45: DEVELOPMENT, 46: DEVELOPMENT, 47: DEVELOPMENT, 49: FILE },
  behaviours: [...http, ...browser],
}
