// Every suite, in the order of the alphabet.

import { apiSupport } from './api-support/suite.ts'
import { basepath } from './basepath/suite.ts'
import { basepathTrailingSlash } from './basepath-trailing-slash/suite.ts'
import { clientNavigation } from './client-navigation/suite.ts'
import { clientNavigationRendering } from './client-navigation-rendering/suite.ts'
import { customRoutes } from './custom-routes/suite.ts'
import { dynamicOptionalRouting } from './dynamic-optional-routing/suite.ts'
import { dynamicRouting } from './dynamic-routing/suite.ts'
import { envConfig } from './env-config/suite.ts'
import { getServerSideProps } from './getserversideprops/suite.ts'
import { gsspRedirect } from './gssp-redirect/suite.ts'
import type { Suite } from './harness/suite.ts'
import { nextFont } from './next-font/suite.ts'
import { scriptLoader } from './script-loader/suite.ts'
import { trailingSlashes } from './trailing-slashes/suite.ts'

export const SUITES: readonly Suite[] = [
  apiSupport,
  basepath,
  basepathTrailingSlash,
  clientNavigation,
  clientNavigationRendering,
  customRoutes,
  dynamicOptionalRouting,
  dynamicRouting,
  envConfig,
  getServerSideProps,
  gsspRedirect,
  nextFont,
  scriptLoader,
  trailingSlashes,
]
