// The manifest of an app folder, as builds and development make it from the sources and the facts of the routes, the
// browser's part of it, and the files of a build that it lists.
// Guarantees: equal sources give an equal manifest and build id on every machine; the browser's manifest has only what its
// router needs.
// Leaves what each route is to route-facts.ts, and policies to config.

import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type BrowserManifest,
  type CodeVariable,
  type DataKind,
  isSourceName,
  MANIFEST_FORMAT,
  type Manifest,
  type MiddlewareMatcher,
  type RewriteRule,
  SOURCES_FILE,
} from '@portico/shared/wire/build-output.ts'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import { matchRoute, prepareRoutes } from '@portico/shared/wire/routing/routes.ts'
import type { BundleSources } from '../bundle-sources/bundle-sources.ts'
import { createCspTable } from '../config/config.ts'
import { addFile } from './built-files.ts'

export { computeBuildId, copyPublicFiles, mediaTypeOf, readBuiltFiles } from './built-files.ts'
export { sizeTable } from './size-table.ts'

type Pages = BrowserManifest['pages']

// Paths that only rewrites know, as routes of the browser's manifest (W7): a link to one is a navigation, not a document.
// The browser fetches the data of such a path, and the data names the page. The files here are those that it probably needs.

/** The routes of rewrites that lead to pages, without those that are routes of pages already. */
export function rewrittenRoutes(rewrites: readonly RewriteRule[], pages: Pages): Pages {
  const routes = [...pages]
  const shapes = new Set(pages.map(({ pattern }) => shapeOf(pattern)))
  let left = rewrites.filter(({ destination, basePath }) => basePath !== false && destination.startsWith('/'))
  let found: Pages
  // A rewrite may lead to the source of another one.
  do {
    found = []
    const pageOf = createLookUp(routes)
    left = left.filter(({ source, destination }) => {
      const page = pageOf(destination)
      const pattern = patternOf(source)
      if (page && pattern !== undefined && !shapes.has(shapeOf(pattern))) {
        shapes.add(shapeOf(pattern))
        // Only the server knows the page for which getInitialProps is called.
        found.push({ ...page, pattern, data: page.data === 'initial' ? 'server' : page.data })
      }
      return !page
    })
    routes.push(...found)
  } while (found.length > 0)
  return routes.slice(pages.length)
}

/** Patterns that fit every path for which middleware may run, and maybe further ones, so that a browser needs no expressions. */
export function guardedPatterns(matchers: readonly MiddlewareMatcher[]): string[] {
  // A path in the browser has no locale.
  const all = `/${REST}`
  const patterns = matchers.map(({ source, locale }) => (locale === false ? all : (patternOf(source) ?? all)))
  return patterns.includes(all) ? [all] : [...new Set(patterns)]
}

/**
 * The page of a destination. A parameter is the text of a segment, or none: `/posts/:id` is a path of `/posts/[id]`. Its
 * value may also be the rest of a path of another page.
 */
function createLookUp(routes: Pages) {
  const tree = prepareRoutes(routes)
  return (destination: string) => {
    const path = destination.replace(/[?#].*/, '')
    for (const each of [path, path.replace(/\/:\w+\*$/, '')]) {
      const match = matchRoute(tree, each)
      if (match.kind === 'match') return routes.find(({ pattern }) => pattern === match.pattern)
    }
    const at = path.indexOf(':')
    return at < 0 ? undefined : routes.find(({ pattern }) => pattern.startsWith(path.slice(0, at)))
  }
}

/** Patterns that differ in the names of parameters only are of the same paths. */
function shapeOf(pattern: string): string {
  return pattern.replace(/[^[\].]+(?=\])/g, '')
}

const REST = '[[...rest]]'

/** A pattern with each path of a source, and maybe further ones; undefined for a source that is no path. */
function patternOf(source: string): string | undefined {
  const segments: string[] = []
  for (const part of source.split('/').slice(1)) {
    const isWhole = /^:\w+(?:\([^()]*\))?$/.test(part)
    // A parameter of any number of segments, a group, or an expression that has a slash.
    if (
      /[*+?{}\\]/.test(part.replace(/\([^()]*\)/g, '')) ||
      (/[()]/.test(part) && !/^[^()]*\([^()]*\)[^()]*$/.test(part))
    )
      return `/${[...segments, REST].join('/')}`
    if (isWhole || /[:(]/.test(part)) segments.push(`[p${segments.length}]`)
    else if (/[[\]]/.test(part)) return undefined
    else segments.push(textOf(part))
  }
  return `/${segments.join('/')}`
}

/** As paths are compared. */
function textOf(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

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

/** The variables for the manifest, in the order of their names: equal sources give an equal build. */
export function codeEnvOf({
  next,
  codeVariables,
}: Pick<BundleSources, 'next' | 'codeVariables'>): Pick<Manifest, 'codeEnv'> {
  const entries = [...codeVariables.keys()].sort().map((name): [string, CodeVariable] => {
    const text = next.codeEnv?.[name]
    return [name, { ...(text !== undefined && { default: text }), ...codeVariables.get(name) }]
  })
  return entries.length > 0 ? { codeEnv: Object.fromEntries(entries) } : {}
}

export async function writeManifests(outDir: string, manifest: Manifest): Promise<void> {
  const dir = join(outDir, 'client', 'manifest')
  await mkdir(dir, { recursive: true })
  await addFile(join(dir, `${manifest.buildId}.json`), Buffer.from(JSON.stringify(browserManifestOf(manifest))))
  await writeServicesManifest(outDir, manifest)
}

export async function writeServicesManifest(outDir: string, manifest: Manifest): Promise<void> {
  await writeFile(join(outDir, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`)
}

/** The names at the top of the app folder: the next start compares them to see that one was removed. */
export async function readSourceNames(appDir: string): Promise<string[]> {
  return (await readdir(appDir)).filter(isSourceName).sort()
}

export async function writeSourceNames(outDir: string, names: readonly string[]): Promise<void> {
  await writeFile(join(outDir, SOURCES_FILE), JSON.stringify(names))
}
