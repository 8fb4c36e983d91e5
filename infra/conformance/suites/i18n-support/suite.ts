// The suite of locales in paths.

import { FILE, notApplicable, rowsOf, SKIPPED, type Suite, upstream } from '../../harness/suite.ts'
import { browser } from './browser.ts'
import { http } from './http.ts'

const DOMAINS = 'domains of locales: the host never decides the locale, and the build refuses the field'

export const i18nSupport: Suite = {
  name: 'i18n-support',
  source: upstream('test/integration/i18n-support/test/shared.js'),
  tests: 79,
  rows: {
    ...rowsOf(notApplicable(DOMAINS), 3, 6, 15, 16, 42, 43, 45, 46, 47),
    ...rowsOf(SKIPPED, 13, 14),
    ...rowsOf(FILE, 18, 25, 26, 53),
    21: notApplicable('the overlay of the development server'),
    ...rowsOf(notApplicable('AMP, which Next.js 16 does not have either'), 48, 49),
  },
  behaviours: [...http, ...browser],
}
