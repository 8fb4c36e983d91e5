// The smaller suites of locales. They share the site of i18n-support.

import type { Behaviour } from '../../harness/behaviour.ts'
import { FILE, notApplicable, type Suite, upstream } from '../../harness/suite.ts'
import { browser } from './browser.ts'
import { http } from './http.ts'
import { browser as rest } from './rest.ts'

const behavioursOf = (name: string): Behaviour[] => [...http, ...browser, ...rest].filter(({ id }) => id.slice(0, id.lastIndexOf('-')) === name)

function suiteOf(name: string, file: string, tests: number, rows: Suite['rows'] = {}): Suite {
  return { name, source: upstream(file), tests, rows, behaviours: behavioursOf(name) }
}

export const I18N_SUITES: readonly Suite[] = [
  suiteOf('i18n-api-support', 'test/e2e/i18n-api-support/index.test.ts', 3),
  suiteOf('i18n-data-fetching-redirect', 'test/e2e/i18n-data-fetching-redirect/index.test.ts', 5, {
    1: notApplicable('in place of the others under another bundler'),
  }),
  suiteOf('i18n-redirect-source-locale', 'test/e2e/i18n-ignore-redirect-source-locale/redirects.test.ts', 4),
  suiteOf('i18n-rewrite-source-locale', 'test/e2e/i18n-ignore-rewrite-source-locale/rewrites.test.ts', 3),
  suiteOf('i18n-support-base-path', 'test/integration/i18n-support-base-path/test/index.test.js', 3, { 1: FILE }),
  suiteOf('i18n-support-catchall', 'test/integration/i18n-support-catchall/test/index.test.js', 6, { 1: FILE }),
  suiteOf('i18n-support-fallback-rewrite', 'test/integration/i18n-support-fallback-rewrite/test/index.test.js', 2),
  suiteOf('i18n-support-index-rewrite', 'test/integration/i18n-support-index-rewrite/test/index.test.js', 2),
  suiteOf('i18n-same-page-hash', 'test/integration/i18n-support-same-page-hash-change/test/index.test.js', 3),
]
