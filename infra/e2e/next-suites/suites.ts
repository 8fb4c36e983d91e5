// Every suite, in the order of the alphabet.

import { page404 } from './404-page/suite.ts'
import { page404App } from './404-page-app/suite.ts'
import { page404CustomError } from './404-page-custom-error/suite.ts'
import { page500 } from './500-page/suite.ts'
import { page500Data } from './500-page-gsp-gssp/suite.ts'
import { apiSupport } from './api-support/suite.ts'
import { appDocument } from './app-document/suite.ts'
import { appDocumentClient } from './app-document-client/suite.ts'
import { appDocumentCsp } from './app-document-csp/suite.ts'
import { appDocumentStyleFragment } from './app-document-style-fragment/suite.ts'
import { appTree } from './app-tree/suite.ts'
import { basepath } from './basepath/suite.ts'
import { basepathTrailingSlash } from './basepath-trailing-slash/suite.ts'
import { clientNavigation } from './client-navigation/suite.ts'
import { clientNavigationRendering } from './client-navigation-rendering/suite.ts'
import { customRoutes } from './custom-routes/suite.ts'
import { draftMode } from './draft-mode/suite.ts'
import { dynamicOptionalRouting } from './dynamic-optional-routing/suite.ts'
import { dynamicRouting } from './dynamic-routing/suite.ts'
import { envConfig } from './env-config/suite.ts'
import { errorLoadFail } from './error-load-fail/suite.ts'
import { getInitialProps } from './getinitialprops/suite.ts'
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
  page404,
  page404App,
  page404CustomError,
  page500,
  page500Data,
  apiSupport,
  appDocument,
  appDocumentClient,
  appDocumentCsp,
  appDocumentStyleFragment,
  appTree,
  basepath,
  basepathTrailingSlash,
  clientNavigation,
  clientNavigationRendering,
  customRoutes,
  draftMode,
  dynamicOptionalRouting,
  dynamicRouting,
  envConfig,
  errorLoadFail,
  getInitialProps,
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
