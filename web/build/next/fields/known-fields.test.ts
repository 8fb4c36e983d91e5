// Every field that the schema of Next.js 16.4 accepts, and those that configurations of older apps have, is mapped, reported
// as ignored with its reason, or refused with what to do (X4, X16).

import { expect, test } from 'vitest'
import { parseSiteConfig } from '../../config/config.ts'
import { emptyReport, type ModeReport } from '../../mode.ts'
import { mapNextConfig } from './map-config.ts'

const words = (text: string) => text.trim().split(/\s+/)

const FIELDS = words(`
  adapterPath agentRules allowedDevOrigins assetPrefix basePath bundlePagesRouterDependencies cacheComponents cacheHandler
  cacheHandlers cacheLife cacheMaxMemorySize cleanDistDir compiler compress configOrigin crossOrigin deprecated deploymentId
  supportsImmutableAssets outputHashSalt devIndicators distDir env enablePrerenderSourceMaps excludeDefaultMomentLocales
  experimental exportPathMap generateBuildId generateEtags headers htmlLimitedBots httpAgentOptions i18n images logging
  modularizeImports onDemandEntries output outputFileTracingRoot outputFileTracingExcludes outputFileTracingIncludes
  pageExtensions instrumentationClientInject partialPrefetching poweredByHeader productionBrowserSourceMaps reactCompiler
  reactProductionProfiling reactStrictMode reactMaxHeadersLength redirects rewrites sassOptions serverExternalPackages
  skipMiddlewareUrlNormalize skipProxyUrlNormalize skipTrailingSlashRedirect staticPageGenerationTimeout expireTime target
  trailingSlash transpilePackages turbopack typescript typedRoutes useFileSystemPublicRoutes webpack watchOptions
  amp analyticsId eslint optimizeFonts outputFileTracing publicRuntimeConfig serverRuntimeConfig swcMinify`)

const EXPERIMENTAL = words(`
  agentUpgrade agentFeedback turbopackAdditionalRoots outputHashSalt useSkewCookie after appNavFailHandling
  parallelRouteMetadata coldCacheBadge collapseAdapterRoutes preloadEntriesOnStart allowedRevalidateHeaderKeys staleTimes
  cacheLife cacheHandlers clientRouterFilter clientRouterFilterRedirects clientRouterFilterAllowedRate cpus
  memoryBasedWorkersCount craCompat caseSensitiveRoutes clientParamParsingOrigins cachedNavigations dynamicOnHover
  reactBrowserBailout useOffline optimisticRouting concurrentRouterQueue instrumentationClientRouterTransitionEvents varyParams
  prefetchInlining devMemoryThresholdRestart disableOptimizedLoading disablePostcssPresetEnv cacheComponents inlineCss
  esmExternals serverActions maxPostponedStateSize disableResumeDataCacheCompression extensionAlias externalDir
  externalMiddlewareRewritesResolve externalProxyRewritesResolve exposeTestingApiInProductionBuild requestInsights
  fallbackNodePolyfills fetchCacheKeyPrefix forceSwcTransforms fullySpecified gzipSize imgOptConcurrency imgOptOperationCache
  imgOptTimeoutInSeconds imgOptMaxInputPixels imgOptSequentialRead imgOptMozjpeg isrFlushToDisk largePageDataBytes
  linkNoTouchStart manualClientBasePath middlewarePrefetch proxyPrefetch middlewareClientMaxBodySize proxyClientMaxBodySize
  multiZoneDraftMode cssChunking nextScriptWorkers optimizeCss optimisticClientCache parallelServerCompiles
  parallelServerBuildTraces ppr taint blockingSSR prerenderEarlyExit proxyTimeout rootParams mcpServer exposeRuntimeErrorsToHMR
  removeUncaughtErrorAndRejectionListeners validateRSCRequestHeaders scrollRestoration sri swcPlugins swcEnvOptions
  swcTraceProfiling urlImports workerThreads webVitalsAttribution mdxRs transitionIndicator gestureTransition typedRoutes
  webpackBuildWorker webpackMemoryOptimizations turbopackMemoryEviction turbopackGc turbopackPluginRuntimeStrategy
  turbopackMinify turbopackFileSystemCacheForDev turbopackFileSystemCacheForBuild turbopackSeedCacheFromWorktree
  turbopackStaleOutputMaxAge turbopackSourceMaps turbopackInputSourceMaps turbopackModuleFragments turbopackRemoveUnusedImports
  turbopackRemoveUnusedExports turbopackScopeHoisting turbopackSharedRuntime turbopackChunking turbopackWorkerAssetPrefix
  turbopackClientSideNestedAsyncChunking turbopackServerSideNestedAsyncChunking turbopackLazyDynamicImports
  turbopackLazyDynamicImportsSSR turbopackImportTypeBytes turbopackUseBuiltinBabel turbopackUseBuiltinSass
  turbopackLocalPostcssConfig turbopackModuleIds turbopackInferModuleSideEffects turbopackCjsTreeShaking
  turbopackMangleExportNames turbopackMangleViaMaterializedNamespaceObject turbopackCjsScopeHoisting turbopackCrossModuleConstants
  turbopackServerFastRefresh optimizePackageImports optimizeServerReact strictRouteTypes useTypeScriptCli clientTraceMetadata
  serverMinification serverSourceMaps useWasmBinary useLightningcss lightningCssFeatures testProxy defaultTestRunner
  allowDevelopmentBuild reactDebugChannel instantInsights devValidationWorker staticGenerationRetryCount
  staticGenerationMaxConcurrency staticGenerationMinPagesPerWorker typedEnv serverComponentsHmrCache
  serverComponentsHmrCancellation authInterrupts useCache durableUseCacheEntries useCacheStaticRootParamTracking useCacheTimeout
  slowModuleDetection globalNotFound explicitParallelRouteChildren strictRouteMatching turbopackRustReactCompiler
  browserDebugInfoInTerminal lockDistDir hideLogsAfterAbort runtimeServerDeploymentId supportsImmutableAssets deferredEntries
  onBeforeDeferredEntries reportSystemEnvInlining
  instrumentationHook outputStandalone runtime serverComponentsExternalPackages turbo`)

const NESTED: Readonly<Record<string, string>> = {
  images: `localPatterns remotePatterns unoptimized customCacheHandler contentSecurityPolicy contentDispositionType
    dangerouslyAllowSVG dangerouslyAllowLocalIP deviceSizes disableStaticImages domains formats imageSizes loader loaderFile
    maximumDiskCacheSize maximumRedirects maximumResponseBody minimumCacheTTL path qualities`,
  compiler: `emotion reactRemoveProperties relay removeConsole styledComponents styledJsx define defineServer
    runAfterProductionCompile`,
  turbopack: 'rules resolveAlias resolveExtensions root debugIds chunkLoadingGlobal ignoreIssue',
}

/** A value that is not a default and, for most fields, of another type: its line may be a refusal. */
const ODD = ['odd']

function reportOf(config: Record<string, unknown>): ModeReport & { site: Record<string, unknown> } {
  const report = emptyReport()
  const { site } = mapNextConfig(config, report)
  return { ...report, site }
}

function hasLine({ mapped, ignored, refused, site }: ReturnType<typeof reportOf>, name: string): boolean {
  const top = name.split('.')[0] ?? ''
  const lines = [...mapped, ...ignored, ...refused]
  // The site's own parser checks the value, and refuses it by name.
  return lines.some(({ field }) => field.includes(name)) || Object.hasOwn(site, top)
}

test.each(FIELDS)('X4 %s is known', (name) => {
  const report = reportOf({ [name]: name === 'experimental' ? { cpus: 1 } : ODD })
  expect(hasLine(report, name)).toBe(true)
  expect(report.refused.map(({ rule }) => rule)).not.toContain('is not a field that Portico knows')
})

test.each(EXPERIMENTAL)('X4 experimental.%s is known', (name) => {
  const report = reportOf({ experimental: { [name]: ODD } })
  const { mapped, ignored, refused } = report
  expect([...mapped, ...ignored, ...refused].map(({ field }) => field).join()).toMatch(/experimental|serverComponents/)
  expect(ignored.map(({ note }) => note)).not.toContain('Portico does not know it')
})

test.each(Object.entries(NESTED).flatMap(([top, names]) => words(names).map((name) => [top, name] as const)))(
  'X4 %s.%s has a line, or is a field of Portico',
  (top, name) => {
    const value = name === 'rules' ? { '*.svg': {} } : ODD
    const report = reportOf({ [top]: { [name]: value } })
    expect(hasLine(report, `${top}.${name}`)).toBe(true)
    expect(report.ignored.every(({ note }) => note !== '')).toBe(true)
  },
)

test('X4 a member of experimental that no version of the list has is named', () => {
  expect(reportOf({ experimental: { nonsense: true } }).ignored).toEqual([
    { field: 'experimental.nonsense', note: 'Portico does not know it' },
  ])
})

test.each(['anonymous', 'use-credentials'])('X4 crossOrigin: %s', (crossOrigin) => {
  const { ignored, refused } = reportOf({ crossOrigin })
  expect([ignored.length, refused.length]).toEqual(crossOrigin === 'anonymous' ? [1, 0] : [0, 1])
})

test('X4 turbopack.resolveExtensions are the endings of imports', () => {
  const report = emptyReport()
  const extensions = ['.web.tsx', '.tsx', '.ts']
  const { settings } = mapNextConfig({ turbopack: { resolveExtensions: extensions } }, report)
  expect([settings.resolveExtensions, report.mapped.length, report.refused]).toEqual([extensions, 1, []])
})

/** The fields that configurations of large open-source apps set, with values of the same kind. */
const APPS: Readonly<Record<string, { config: Record<string, unknown>; refused: string[] }>> = {
  'a scheduling app': {
    config: {
      productionBrowserSourceMaps: true,
      typescript: { ignoreBuildErrors: false },
      eslint: { ignoreDuringBuilds: true },
      transpilePackages: ['@own/ui'],
      modularizeImports: { lodash: { transform: 'lodash/{{member}}' } },
      images: { unoptimized: true },
      webpack: { $notData: 'a function' },
      rewrites: [
        { source: '/:user/face.png', destination: '/api/face?user=:user' },
        {
          source: '/done/:path*',
          has: [{ type: 'query', key: 'id', value: '(?<id>.*)' }],
          destination: '/show/:id/:path*',
        },
        {
          source: '/:user((?!team|about).*)/:kind',
          destination: '/new/:user/:kind',
          has: [{ type: 'cookie', key: 'new' }],
        },
      ],
      redirects: [
        {
          source: '/api/in',
          has: [{ type: 'query', key: 'to', value: '^(?!http).*$' }],
          destination: '/404',
          permanent: false,
        },
      ],
    },
    refused: ['webpack'],
  },
  'an analytics app': {
    config: {
      reactStrictMode: false,
      env: { version: '2.0', locale: undefined },
      output: 'standalone',
      headers: [{ source: '/:path*', headers: [{ key: 'Strict-Transport-Security', value: 'max-age=1' }] }],
      rewrites: [{ source: '/teams/:team/:path((?!settings).*)*', destination: '/:path*' }],
    },
    refused: [],
  },
  'a survey app': {
    config: {
      assetPrefix: 'https://app.example.com',
      output: 'standalone',
      experimental: { serverActions: true },
      images: { remotePatterns: [{ protocol: 'https', hostname: 'faces.example.com' }] },
      serverExternalPackages: ['native'],
    },
    refused: [],
  },
  'a signing app': { config: { reactStrictMode: true, swcMinify: true }, refused: [] },
  'a link app': {
    config: {
      reactStrictMode: false,
      experimental: { useDeploymentId: true },
      images: { domains: ['faces.example.com'] },
      redirects: [
        {
          source: '/:path*',
          has: [{ type: 'host', value: 'old.example.com' }],
          destination: 'https://new.example.com/:path*',
          permanent: true,
          statusCode: 301,
        },
      ],
    },
    refused: [],
  },
}

test.each(Object.entries(APPS))('X4 the configuration of %s', (_name, { config, refused }) => {
  const report = reportOf(config)
  expect(report.refused.map(({ field }) => field)).toEqual(refused)
  expect(() => parseSiteConfig(report.site)).not.toThrow()
})
