// Every suite, in the order of the alphabet.

import { basepath } from './basepath/suite.ts'
import { basepathTrailingSlash } from './basepath-trailing-slash/suite.ts'
import { customRoutes } from './custom-routes/suite.ts'
import { dynamicOptionalRouting } from './dynamic-optional-routing/suite.ts'
import { dynamicRouting } from './dynamic-routing/suite.ts'
import { getServerSideProps } from './getserversideprops/suite.ts'
import { gsspRedirect } from './gssp-redirect/suite.ts'
import type { Suite } from './harness/suite.ts'
import { trailingSlashes } from './trailing-slashes/suite.ts'

export const SUITES: readonly Suite[] = [
  basepath,
  basepathTrailingSlash,
  customRoutes,
  dynamicOptionalRouting,
  dynamicRouting,
  getServerSideProps,
  gsspRedirect,
  trailingSlashes,
]
