// Every suite, in the order of the alphabet.

import { apiSupport } from './api-support/suite.ts'
import { basepath } from './basepath/suite.ts'
import { basepathTrailingSlash } from './basepath-trailing-slash/suite.ts'
import { clientNavigation } from './client-navigation/suite.ts'
import { clientNavigationRendering } from './client-navigation-rendering/suite.ts'
import { customRoutes } from './custom-routes/suite.ts'
import { draftMode } from './draft-mode/suite.ts'
import { dynamicOptionalRouting } from './dynamic-optional-routing/suite.ts'
import { dynamicRouting } from './dynamic-routing/suite.ts'
import { envConfig } from './env-config/suite.ts'
import { getServerSideProps } from './getserversideprops/suite.ts'
import { getServerSidePropsPreview } from './getserversideprops-preview/suite.ts'
import { gsspRedirect } from './gssp-redirect/suite.ts'
import type { Suite } from './harness/suite.ts'
import { I18N_SUITES } from './i18n-others/suites.ts'
import { i18nSupport } from './i18n-support/suite.ts'
import { middlewareCustomMatchers } from './middleware-custom-matchers/suite.ts'
import { middlewareGeneral } from './middleware-general/suite.ts'
import { middlewareHeaders } from './middleware-headers/suite.ts'
import { middlewareMatcher } from './middleware-matcher/suite.ts'
import { middlewareRedirects } from './middleware-redirects/suite.ts'
import { middlewareResponses } from './middleware-responses/suite.ts'
import { middlewareTrailingSlash } from './middleware-trailing-slash/suite.ts'
import { nextFont } from './next-font/suite.ts'
import { prerenderPreview } from './prerender-preview/suite.ts'
import { previewFallback } from './preview-fallback/suite.ts'
import { scriptLoader } from './script-loader/suite.ts'
import { trailingSlashes } from './trailing-slashes/suite.ts'

export const SUITES: readonly Suite[] = [
  apiSupport,
  basepath,
  basepathTrailingSlash,
  clientNavigation,
  clientNavigationRendering,
  customRoutes,
  draftMode,
  dynamicOptionalRouting,
  dynamicRouting,
  envConfig,
  getServerSideProps,
  getServerSidePropsPreview,
  gsspRedirect,
  ...I18N_SUITES,
  i18nSupport,
  middlewareCustomMatchers,
  middlewareGeneral,
  middlewareHeaders,
  middlewareMatcher,
  middlewareRedirects,
  middlewareResponses,
  middlewareTrailingSlash,
  nextFont,
  prerenderPreview,
  previewFallback,
  scriptLoader,
  trailingSlashes,
]
