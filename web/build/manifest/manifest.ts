// The manifest of an app folder, as builds and the development server write it, and the browser's part of it.

import { type BrowserManifest, MANIFEST_FORMAT, type Manifest } from '@portico/shared/wire/build-output.ts'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import type { BundleSources } from '../bundles/bundle-sources.ts'
import { createCspTable } from '../config/csp-table.ts'

/** A manifest without build id and files, which the caller adds. */
export function manifestOf(
  {
    folder,
    config,
    actions,
    next,
  }: Pick<BundleSources, 'config' | 'actions'> & {
    next?: Pick<BundleSources['next'], 'on'>
    folder: Pick<BundleSources['folder'], 'apiRoutes' | 'configFile' | 'middleware'>
  },
  { pages, screens, browserEntry }: Pick<Manifest, 'pages' | 'screens' | 'browserEntry'>,
): Manifest {
  const { serverExternalPackages: _packages, prerender: _mode, pageExtensions: _endings, csp, ...settings } = config
  return {
    format: MANIFEST_FORMAT,
    version: PORTICO_VERSION,
    buildId: '',
    ...settings,
    ...(next?.on && { isNext: true }),
    ...(folder.middleware && { middleware: { matchers: folder.middleware.matchers } }),
    csp: createCspTable(csp, [...pages, ...screens], folder.configFile ?? 'portico.config.ts'),
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
export function browserManifestOf({ buildId, i18n, pages, screens, csp }: Manifest): BrowserManifest {
  const texts = [csp.site, ...Object.values(csp.routes)].map((policy) => JSON.stringify(policy))
  const policies = [...new Set(texts)]
  const policyOf = (route: string) => {
    if (!Object.hasOwn(csp.routes, route)) return undefined
    const policy = policies.indexOf(JSON.stringify(csp.routes[route]))
    return policy > 0 && { policy }
  }
  const known = new Set([...pages, ...screens].map(({ pattern }) => pattern))
  const defaultScreens = Object.keys(csp.routes).filter((route) => !known.has(route))
  return {
    buildId,
    ...(i18n && { i18n: { locales: i18n.locales, defaultLocale: i18n.defaultLocale } }),
    pages: pages.map(({ pattern, data, files }) => ({ pattern, data, files, ...policyOf(pattern) })),
    screens: [
      ...screens.map(({ pattern, files }) => ({ pattern, files, ...policyOf(pattern) })),
      ...defaultScreens.map((pattern) => ({ pattern, ...policyOf(pattern) })),
    ],
  }
}
