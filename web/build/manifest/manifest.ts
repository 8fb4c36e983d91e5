// The manifest of an app folder, as builds and the development server write it, and the browser's part of it.

import {
  type BrowserManifest,
  type DataKind,
  MANIFEST_FORMAT,
  type Manifest,
} from '@portico/shared/wire/build-output.ts'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import type { BundleSources } from '../bundles/bundle-sources.ts'
import { createCspTable } from '../config/csp-table.ts'
import { guardedPatterns, rewrittenRoutes } from './rewritten-routes.ts'

/** A manifest without build id and files, which the caller adds. */
export function manifestOf(
  {
    folder,
    config,
    actions,
    next,
  }: Pick<BundleSources, 'config' | 'actions'> & {
    next?: Pick<BundleSources['next'], 'semantics' | 'caseSensitiveRoutes'>
    folder: Pick<BundleSources['folder'], 'apiRoutes' | 'configFile' | 'middleware'>
  },
  { pages, screens, browserEntry }: Pick<Manifest, 'pages' | 'screens' | 'browserEntry'>,
): Manifest {
  const {
    serverExternalPackages: _external,
    transpilePackages: _bundled,
    prerender: _mode,
    pageExtensions: _endings,
    csp,
    ...settings
  } = config
  return {
    format: MANIFEST_FORMAT,
    version: PORTICO_VERSION,
    buildId: '',
    ...settings,
    semantics: next?.semantics ?? {},
    ...(next?.caseSensitiveRoutes && { caseSensitiveRoutes: true }),
    ...(folder.middleware && { middleware: { matchers: folder.middleware.matchers } }),
    csp: createCspTable(csp, [...pages, ...screens], folder.configFile ?? 'portico.config.ts', settings.assetPrefix),
    pages,
    screens,
    apiRoutes: folder.apiRoutes,
    actions,
    browserEntry,
    publicFiles: {},
    staticFiles: {},
  }
}

/** The members that the router in the browser needs. */
export function browserManifestOf({
  buildId,
  i18n,
  pages,
  screens,
  csp,
  rewrites,
  middleware,
  semantics,
}: Manifest): BrowserManifest {
  const texts = [csp.site, ...Object.values(csp.routes)].map((policy) => JSON.stringify(policy))
  const policies = [...new Set(texts)]
  const policyOf = (route: string) => {
    if (!Object.hasOwn(csp.routes, route)) return undefined
    const policy = policies.indexOf(JSON.stringify(csp.routes[route]))
    return policy > 0 && { policy }
  }
  // SECURITY: getInitialProps that the browser calls would show a page that middleware has not let pass (X15).
  const kindOf = (data: DataKind) => (middleware && data === 'initial' ? 'server' : data)
  const known = new Set([...pages, ...screens].map(({ pattern }) => pattern))
  const defaultScreens = Object.keys(csp.routes).filter((route) => !known.has(route))
  const routes = pages.map(({ pattern, data, files }) => ({ pattern, data: kindOf(data), files, ...policyOf(pattern) }))
  return {
    buildId,
    ...(i18n && { i18n: { locales: i18n.locales, defaultLocale: i18n.defaultLocale } }),
    // A page is looked up by its pattern, too: the first entry is that of the page.
    pages: [...routes, ...rewrittenRoutes(rewrites, routes)],
    ...(semantics.guardedLinks && middleware && { guarded: guardedPatterns(middleware.matchers) }),
    screens: [
      ...screens.map(({ pattern, files, data }) => ({
        pattern,
        files,
        ...policyOf(pattern),
        ...(data === 'static' && { hasData: true as const }),
      })),
      ...defaultScreens.map((pattern) => ({ pattern, ...policyOf(pattern) })),
    ],
  }
}
