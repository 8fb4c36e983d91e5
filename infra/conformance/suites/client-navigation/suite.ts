// The suite of navigation by the client: what it proves of built sites.

import { notApplicable, type Suite, upstream } from '../../harness/suite.ts'
import { documents } from './documents.ts'
import { fragments } from './fragments.ts'
import { heads } from './heads.ts'
import { links } from './links.ts'
import { router } from './router.ts'

const overlay = notApplicable('the error overlay of development')
const warnings = notApplicable('warnings of the development build')

export const clientNavigation: Suite = {
  name: 'client-navigation',
  source: upstream('test/development/pages-dir/client-navigation/index.test.ts'),
  tests: 98,
  rows: { 3: overlay, 19: overlay, 73: overlay, 74: overlay, 93: warnings, 94: warnings, 95: warnings },
  behaviours: [...documents, ...links, ...router, ...fragments, ...heads],
}
