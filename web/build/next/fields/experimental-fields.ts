// The members of `experimental` of next.config.* (X4), without those that map-config.ts maps.

import { PLUGINS, type Refusal } from './config-fields.ts'

/** Members that change code or addresses. */
export const REFUSED_EXPERIMENTAL: Readonly<Record<string, Refusal>> = {
  swcPlugins: { rule: 'SWC does not compile the site', remedy: PLUGINS },
  urlImports: { rule: 'modules of other hosts are not imported', remedy: 'install the package' },
  nextScriptWorkers: { rule: 'scripts run on the page only', remedy: 'use another strategy of next/script' },
  multiZoneDraftMode: { rule: 'zones are not supported', remedy: 'remove the field' },
  manualClientBasePath: {
    rule: 'links and the router add basePath',
    remedy: 'remove the field, and write addresses without basePath',
  },
}

const BY_REASON: Readonly<Record<string, string>> = {
  'only the App Router has it': `
    appDir after appNavFailHandling authInterrupts blockingSSR cacheComponents cacheHandlers cacheLife cachedNavigations
    clientParamParsingOrigins clientRouterFilter clientRouterFilterAllowedRate clientRouterFilterRedirects clientTraceMetadata
    coldCacheBadge concurrentRouterQueue disableResumeDataCacheCompression durableUseCacheEntries dynamicOnHover
    explicitParallelRouteChildren exposeTestingApiInProductionBuild fetchCacheKeyPrefix gestureTransition globalNotFound inlineCss
    instantInsights instrumentationClientRouterTransitionEvents maxPostponedStateSize optimisticClientCache optimisticRouting
    parallelRouteMetadata ppr prefetchInlining prerenderEarlyExit reactBrowserBailout reactDebugChannel rootParams serverComponents
    serverComponentsHmrCache serverComponentsHmrCancellation sri staleTimes strictRouteMatching strictRouteTypes taint
    transitionIndicator useCache useCacheStaticRootParamTracking useCacheTimeout useOffline validateRSCRequestHeaders varyParams`,
  'Portico bundles with Vite': `
    bundlePagesExternals craCompat cssChunking deferredEntries disablePostcssPresetEnv esmExternals extensionAlias externalDir
    forceSwcTransforms fullySpecified lightningCssFeatures onBeforeDeferredEntries optimizePackageImports optimizeServerReact
    outputHashSalt parallelServerBuildTraces parallelServerCompiles serverMinification swcEnvOptions swcTraceProfiling
    turbopackAdditionalRoots turbopackChunking turbopackCjsScopeHoisting turbopackCjsTreeShaking
    turbopackClientSideNestedAsyncChunking turbopackCrossModuleConstants turbopackFileSystemCacheForBuild
    turbopackFileSystemCacheForDev turbopackGc turbopackImportTypeBytes turbopackInferModuleSideEffects turbopackInputSourceMaps
    turbopackLazyDynamicImports turbopackLazyDynamicImportsSSR turbopackLocalPostcssConfig turbopackMangleExportNames
    turbopackMangleViaMaterializedNamespaceObject turbopackMemoryEviction turbopackMinify turbopackModuleFragments
    turbopackModuleIds turbopackPluginRuntimeStrategy turbopackRemoveUnusedExports turbopackRemoveUnusedImports
    turbopackRustReactCompiler turbopackScopeHoisting turbopackSeedCacheFromWorktree turbopackServerFastRefresh
    turbopackServerSideNestedAsyncChunking turbopackSharedRuntime turbopackSourceMaps turbopackStaleOutputMaxAge
    turbopackUseBuiltinBabel turbopackUseBuiltinSass useLightningcss useWasmBinary webpackBuildWorker webpackMemoryOptimizations`,
  'it is about the build of Next.js': `
    adapterPath allowDevelopmentBuild cpus gzipSize hideLogsAfterAbort isrFlushToDisk largePageDataBytes lockDistDir
    memoryBasedWorkersCount outputFileTracingExcludes outputFileTracingIncludes outputFileTracingRoot outputStandalone
    reportSystemEnvInlining staticGenerationMaxConcurrency staticGenerationMinPagesPerWorker staticGenerationRetryCount typedEnv
    typedRoutes useTypeScriptCli workerThreads`,
  'development has its own overlay and connection': `
    agentFeedback agentUpgrade browserDebugInfoInTerminal devMemoryThresholdRestart devValidationWorker exposeRuntimeErrorsToHMR
    mcpServer requestInsights slowModuleDetection`,
  'it is about the server of Next.js': `
    allowedRevalidateHeaderKeys collapseAdapterRoutes preloadEntriesOnStart removeUncaughtErrorAndRejectionListeners
    runtimeServerDeploymentId supportsImmutableAssets useSkewCookie`,
  'it is for tests of Next.js': 'defaultTestRunner testProxy',
  'middleware receives no body': 'middlewareClientMaxBodySize proxyClientMaxBodySize',
  'prefetches of matched paths run middleware': 'middlewarePrefetch proxyPrefetch',
  'the gateway carries out rewrites of middleware': 'externalMiddlewareRewritesResolve externalProxyRewritesResolve',
  'the image service has its own limits': `
    imgOptConcurrency imgOptMaxInputPixels imgOptMozjpeg imgOptOperationCache imgOptSequentialRead imgOptTimeoutInSeconds`,
  'actions are modules that begin with use server, which have their own limits': 'serverActions',
  'the file instrumentation is read without it': 'instrumentationHook',
  'MDX is compiled by the compiler of the app': 'mdxRs',
  'metrics have no attribution': 'webVitalsAttribution',
  'links fetch their pages as links of Portico do': 'linkNoTouchStart',
  'scripts of a page are modules': 'disableOptimizedLoading',
  'stylesheets are files': 'optimizeCss',
  'the router restores positions': 'scrollRestoration',
  'another host has 30 s for the first byte': 'proxyTimeout',
  'server bundles always have source maps': 'serverSourceMaps',
  'workers are on the origin of the site': 'turbopackWorkerAssetPrefix',
}

/** Why a member has no effect, by name. */
export const HARMLESS_EXPERIMENTAL: ReadonlyMap<string, string> = new Map(
  Object.entries(BY_REASON).flatMap(([reason, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name): [string, string] => [name, reason]),
  ),
)
