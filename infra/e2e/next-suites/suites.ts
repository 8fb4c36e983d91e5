// Every suite, in the order of the alphabet.

import { page404 } from './404-page/suite.ts'
import { page404App } from './404-page-app/suite.ts'
import { page404CustomError } from './404-page-custom-error/suite.ts'
import { page404Ssg } from './404-page-ssg/suite.ts'
import { page500 } from './500-page/suite.ts'
import { page500Data } from './500-page-gsp-gssp/suite.ts'
import { apiSupport } from './api-support/suite.ts'
import { appDocument } from './app-document/suite.ts'
import { appDocumentClient } from './app-document-client/suite.ts'
import { appDocumentCsp } from './app-document-csp/suite.ts'
import { appDocumentStyleFragment } from './app-document-style-fragment/suite.ts'
import { appTree } from './app-tree/suite.ts'
import { autoExport } from './auto-export/suite.ts'
import { basepath } from './basepath/suite.ts'
import { basepathTrailingSlash } from './basepath-trailing-slash/suite.ts'
import { client404 } from './client-404/suite.ts'
import { clientNavigation } from './client-navigation/suite.ts'
import { clientNavigationA11y } from './client-navigation-a11y/suite.ts'
import { clientNavigationRendering } from './client-navigation-rendering/suite.ts'
import { customError } from './custom-error/suite.ts'
import { customRoutes } from './custom-routes/suite.ts'
import { draftMode } from './draft-mode/suite.ts'
import { dynamicOptionalRouting } from './dynamic-optional-routing/suite.ts'
import { dynamicRouteRename } from './dynamic-route-rename/suite.ts'
import { dynamicRouting } from './dynamic-routing/suite.ts'
import { envConfig } from './env-config/suite.ts'
import { errorInError } from './error-in-error/suite.ts'
import { errorLoadFail } from './error-load-fail/suite.ts'
import { fallbackFalseRewrite } from './fallback-false-rewrite/suite.ts'
import { fallbackRouteParams } from './fallback-route-params/suite.ts'
import { getInitialProps } from './getinitialprops/suite.ts'
import { getServerSideProps } from './getserversideprops/suite.ts'
import { getServerSidePropsPreview } from './getserversideprops-preview/suite.ts'
import { gsspPagePropsMerge } from './gssp-page-props-merge/suite.ts'
import { gsspRedirect } from './gssp-redirect/suite.ts'
import type { Suite } from './harness/suite.ts'
import { hashbang } from './hashbang/suite.ts'
import { hydration } from './hydration/suite.ts'
import { I18N_SUITES } from './i18n-others/suites.ts'
import { i18nSupport } from './i18n-support/suite.ts'
import { indexIndex } from './index-index/suite.ts'
import { linkRefPages } from './link-ref-pages/suite.ts'
import { linkWithEncoding } from './link-with-encoding/suite.ts'
import { middlewareCustomMatchers } from './middleware-custom-matchers/suite.ts'
import { middlewareGeneral } from './middleware-general/suite.ts'
import { middlewareHeaders } from './middleware-headers/suite.ts'
import { middlewareMatcher } from './middleware-matcher/suite.ts'
import { middlewareRedirects } from './middleware-redirects/suite.ts'
import { middlewareResponses } from './middleware-responses/suite.ts'
import { middlewareRewrites } from './middleware-rewrites/suite.ts'
import { middlewareTrailingSlash } from './middleware-trailing-slash/suite.ts'
import { nextFont } from './next-font/suite.ts'
import { nextHead } from './next-head/suite.ts'
import { notFoundRevalidate } from './not-found-revalidate/suite.ts'
import { prerender } from './prerender/suite.ts'
import { prerenderFallbackEncoding } from './prerender-fallback-encoding/suite.ts'
import { prerenderPreview } from './prerender-preview/suite.ts'
import { previewFallback } from './preview-fallback/suite.ts'
import { queryWithEncoding } from './query-with-encoding/suite.ts'
import { revalidateAsPath } from './revalidate-as-path/suite.ts'
import { rewritesClientResolving } from './rewrites-client-resolving/suite.ts'
import { rewritesDestinationQueryArray } from './rewrites-destination-query-array/suite.ts'
import { rewritesHasCondition } from './rewrites-has-condition/suite.ts'
import { rewritesManualHrefAs } from './rewrites-manual-href-as/suite.ts'
import { routeIndex } from './route-index/suite.ts'
import { routeIndexes } from './route-indexes/suite.ts'
import { routeLoadCancel } from './route-load-cancel/suite.ts'
import { routerHashNavigation } from './router-hash-navigation/suite.ts'
import { routerIsReady } from './router-is-ready/suite.ts'
import { routerIsReadyAppGip } from './router-is-ready-app-gip/suite.ts'
import { scriptLoader } from './script-loader/suite.ts'
import { scss } from './scss/suite.ts'
import { ssgData404 } from './ssg-data-404/suite.ts'
import { ssgDynamicRoutes404Page } from './ssg-dynamic-routes-404-page/suite.ts'
import { trailingSlashDist } from './trailing-slash-dist/suite.ts'
import { trailingSlashes } from './trailing-slashes/suite.ts'

export const SUITES: readonly Suite[] = [
  page404,
  page404App,
  page404CustomError,
  page404Ssg,
  page500,
  page500Data,
  apiSupport,
  appDocument,
  appDocumentClient,
  appDocumentCsp,
  appDocumentStyleFragment,
  appTree,
  autoExport,
  basepath,
  basepathTrailingSlash,
  client404,
  clientNavigation,
  clientNavigationA11y,
  clientNavigationRendering,
  customError,
  customRoutes,
  draftMode,
  dynamicOptionalRouting,
  dynamicRouteRename,
  dynamicRouting,
  envConfig,
  errorInError,
  errorLoadFail,
  getInitialProps,
  fallbackFalseRewrite,
  fallbackRouteParams,
  getServerSideProps,
  getServerSidePropsPreview,
  gsspPagePropsMerge,
  gsspRedirect,
  hashbang,
  hydration,
  ...I18N_SUITES,
  i18nSupport,
  indexIndex,
  linkRefPages,
  linkWithEncoding,
  middlewareCustomMatchers,
  middlewareGeneral,
  middlewareHeaders,
  middlewareMatcher,
  middlewareRedirects,
  middlewareResponses,
  middlewareRewrites,
  middlewareTrailingSlash,
  nextFont,
  nextHead,
  notFoundRevalidate,
  prerender,
  prerenderFallbackEncoding,
  prerenderPreview,
  previewFallback,
  queryWithEncoding,
  revalidateAsPath,
  rewritesClientResolving,
  rewritesDestinationQueryArray,
  rewritesHasCondition,
  rewritesManualHrefAs,
  routeIndex,
  routeIndexes,
  routeLoadCancel,
  routerHashNavigation,
  routerIsReady,
  routerIsReadyAppGip,
  scriptLoader,
  scss,
  ssgData404,
  ssgDynamicRoutes404Page,
  trailingSlashDist,
  trailingSlashes,
]
