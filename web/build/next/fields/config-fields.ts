// The fields of next.config.* that need no mapping: those without an effect here, each with the reason, and those that
// Portico refuses, each with the rule and the remedy (X4). map-config.ts maps the others. The tables of
// docs/next-config.md are written from these lists.

/** Fields that may have any value: one line of the report says why they change nothing. */
export const HARMLESS: Readonly<Record<string, string>> = {
  agentRules: 'Portico writes no rules for other programs',
  allowedDevOrigins: 'development accepts its own origin and those of PUBLIC_ORIGINS',
  analyticsId: 'Portico sends no measurements to other hosts',
  bundlePagesRouterDependencies: 'packages of the server stay in node_modules',
  cacheComponents: 'only the App Router has it',
  cacheHandler: 'all replicas share one page cache',
  cacheHandlers: 'all replicas share one page cache',
  cacheLife: 'only the App Router has it',
  cacheMaxMemorySize: 'the setting GATEWAY_CACHE_MB limits the page cache',
  cleanDistDir: 'a build replaces the one before',
  compress: 'the gateway compresses',
  configOrigin: 'it is a note of Next.js',
  deprecated: 'it is a note of Next.js',
  deploymentId: 'files of recent builds are kept, and open tabs load their own build',
  devIndicators: 'development has its own overlay',
  distDir: 'a build is written to dist/',
  enablePrerenderSourceMaps: 'only Next.js has it',
  eslint: 'the build does not check the style',
  excludeDefaultMomentLocales: 'the bundler includes only what is imported',
  expireTime: 'pages are refreshed by revalidate',
  experimental: 'see its members',
  generateBuildId: 'the build id is a hash of the build',
  generateEtags: 'every page that may be cached has an ETag',
  htmlLimitedBots: 'crawlers receive whole documents',
  httpAgentOptions: 'connections are kept alive',
  logging: 'each service writes one line per request',
  modularizeImports: 'the bundler includes only what is imported',
  onDemandEntries: 'modules are transformed when they are requested',
  optimizeFonts: 'fonts are loaded as the page says',
  outputHashSalt: 'names of files are hashes of their content',
  outputFileTracing: 'each bundle contains its packages',
  outputFileTracingExcludes: 'each bundle contains its packages',
  outputFileTracingIncludes: 'each bundle contains its packages',
  outputFileTracingRoot: 'each bundle contains its packages',
  partialPrefetching: 'only the App Router has it',
  reactCompiler: 'components run without the compiler',
  reactMaxHeadersLength: 'headers with links name the files of the route only',
  reactProductionProfiling: 'React is its production build',
  skipMiddlewareUrlNormalize: 'middleware sees the address of the page',
  skipProxyUrlNormalize: 'middleware sees the address of the page',
  supportsImmutableAssets: 'files of recent builds are kept',
  swcMinify: 'the build minifies',
  typedRoutes: 'portico types writes the types of links',
  typescript: 'the build does not check types; run tsc',
  watchOptions: 'development watches the folder',
}

/** Why a field is refused, and what to do. */
export interface Refusal {
  rule: string
  remedy: string
}

export const PLUGINS = 'write Vite plugins to plugins of portico.config.ts with next: true, and remove the field'

/** Fields that change what an app does, and that Portico does not have. */
export const REFUSED: Readonly<Record<string, Refusal>> = {
  adapterPath: { rule: 'adapters change the build of Next.js for other platforms', remedy: 'remove the field' },
  amp: { rule: 'AMP pages do not exist', remedy: 'remove the field' },
  exportPathMap: { rule: 'pages are the files of pages/', remedy: 'use rewrites, and remove the field' },
  instrumentationClientInject: {
    rule: 'modules for the browser are imported by name',
    remedy: 'import them in instrumentation-client.ts, and remove the field',
  },
  skipTrailingSlashRedirect: {
    rule: 'a path with the other form of its end is always redirected',
    remedy: 'remove the field, and set trailingSlash to the form that the site has',
  },
  target: { rule: 'every build runs on four services', remedy: 'remove the field' },
  webpack: {
    rule: 'Portico bundles with Vite',
    remedy: `write loaders to turbopack.rules and aliases to turbopack.resolveAlias, or ${PLUGINS}`,
  },
}

/** What is refused for single values, by field: false is no value of interest. */
export const REFUSED_VALUES: Readonly<Record<string, { values: readonly unknown[] } & Refusal>> = {
  crossOrigin: {
    values: ['use-credentials'],
    rule: 'files are requested without credentials',
    remedy: 'remove the field, and let assetPrefix be a public host',
  },
  output: {
    values: ['export'],
    rule: 'a site is served by its services and is no folder of files',
    remedy: 'remove the field and run portico start',
  },
  useFileSystemPublicRoutes: {
    values: [false],
    rule: 'every file of pages/ has an address',
    remedy: 'move other files out of pages/, and remove the field',
  },
}
