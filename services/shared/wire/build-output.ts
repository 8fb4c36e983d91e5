// What `portico build` writes into `<app folder>/dist` and what services read there: types and one parser.
//
//   dist/manifest.json        Manifest: gateway, images, actions and renderer read this one file
//   dist/client/static/*      hashed files, each with .br .zst .gz next to it where the compressed form is smaller
//   dist/client/manifest/*    BrowserManifest, named by build id
//   dist/public/**            copy of the app folder's public/ (with compressed siblings, too)
//   dist/server/entry.js      exports `bundle: ServerBundle` (renderer)
//   dist/actions/entry.js     exports `bundle: ActionsBundle` (actions service)
//   dist/prerendered/*        pages that the build has rendered (renderer)
//   dist/sources.json         names at the top of the app folder when the build began; read by `portico start`
//   dist/external-packages.json    packages that both bundles import from node_modules; read by `portico containers`

import { PORTICO_VERSION } from './constants.ts'
import type { Encoding } from './encodings.ts'
import type { Locales } from './locales/locales.ts'
import type { RouteFiles } from './page-data.ts'
import type { StoredCondition } from './patterns/conditions.ts'
import type { CspTable } from './policy/content-security-policy.ts'
import type { Semantics } from './semantics.ts'

export const MANIFEST_FORMAT = 4

export const SOURCES_FILE = 'sources.json'

/** Outputs of the build, and folders that the build never reads. */
const NOT_SOURCES: ReadonlySet<string> = new Set(['dist', 'node_modules', '.portico', '.data', '.git'])

/** Whether the build may read a file or folder of this name. */
export function isSourceName(name: string): boolean {
  return !NOT_SOURCES.has(name) && !name.includes('.test.')
}

/** An exported function of a 'use server' module. */
export interface ActionEntry {
  id: string
  /** App-relative path of the module. */
  file: string
  /** Exported name. */
  name: string
  repeat?: 'allow'
}

/** `initial`: getInitialProps of the page or of `_app`, called by the server for documents and by the browser otherwise (X11). */
export type DataKind = 'none' | 'static' | 'server' | 'initial'

/** Whether the server renders the page for each request: no cache keeps it. */
export function isPerRequest(data: DataKind): boolean {
  return data === 'server' || data === 'initial'
}

export interface PageEntry extends RouteFile {
  /** Which data function the page has. The page cache keeps pages with `none` and `static` (D2). */
  data: DataKind
  /**
   * In compatibility mode. `all`: requests of every method are rendered, and getServerSideProps or getInitialProps reads
   * their body. `form`: the page is sent to the POST of a form, which nothing reads. Absent: GET and HEAD only (E6).
   */
  methods?: 'all' | 'form'
  /** With `methods`: forms of other sites may post to the page (A4). */
  crossOrigin?: true
  /**
   * The keys of the paths that getStaticPaths has listed during the build, with `fallback: false`: any other path is that of
   * a rewrite or of another page, where there is one (compatibility mode, paramsKey).
   */
  listed?: readonly string[]
  files: RouteFiles
}

export interface FileEntry {
  /** Bytes of the identity form. */
  size: number
  type: string
  /** Strong ETag of the identity form: quoted, a hash of the content. */
  etag: string
  /** Bytes of each precompressed form that exists. */
  encodings: Partial<Record<Encoding, number>>
}

export interface RedirectRule {
  source: string
  destination: string
  /** 308 or 307 from `permanent`, else the author's `statusCode`. */
  status: 301 | 302 | 303 | 307 | 308
  has?: StoredCondition[]
  missing?: StoredCondition[]
  /** Source and destination are compared and sent without basePath. */
  basePath?: false
  /** Source and destination contain the locale (X14). Absent: the rule is that of each locale. */
  locale?: false
}

export interface RewriteRule {
  source: string
  /** A path of this site, or an http(s) URL whose host no parameter decides. */
  destination: string
  has?: StoredCondition[]
  missing?: StoredCondition[]
  /** The rule leads to another host: source is compared with the whole path. */
  basePath?: false
  /** As in RedirectRule. */
  locale?: false
  /** Absent: after files and pages of a fixed path, before dynamic routes. */
  phase?: 'beforeFiles' | 'fallback'
}

/** What another host, to which rewrites lead, receives of the client besides the request, and may set. */
export interface RewriteOrigin {
  /** Names of cookies that pass in both directions. */
  cookies: string[]
  /** Whether the host receives Authorization. */
  authorization: boolean
}

export interface HeaderRule {
  source: string
  headers: { key: string; value: string }[]
  has?: StoredCondition[]
  missing?: StoredCondition[]
  basePath?: false
  /** As in RedirectRule. */
  locale?: false
}

/** Requests for which the gateway runs the site's middleware. */
export interface MiddlewareMatcher {
  source: string
  has?: StoredCondition[]
  missing?: StoredCondition[]
  /** The source is compared with the path and its locale prefix. Absent: with the path behind the prefix. */
  locale?: false
}

export interface RemotePattern {
  protocol?: 'http' | 'https'
  /** `*.example.org` matches one label, `**.example.org` any number. */
  hostname: string
  port?: string
  /** Glob: `*` one segment, `**` any number. Default `**`. */
  pathname?: string
  search?: string
}

export interface LocalPattern {
  pathname?: string
  search?: string
}

/** The `images` block of portico.config.ts with all defaults filled in. */
export interface ImageSettings {
  deviceSizes: number[]
  imageSizes: number[]
  qualities: number[]
  formats: ('image/avif' | 'image/webp')[]
  minimumCacheTTL: number
  remotePatterns: RemotePattern[]
  /** Undefined allows every path of this site. */
  localPatterns?: LocalPattern[]
  maximumRedirects: number
  maximumResponseBody: number
  dangerouslyAllowLocalIP: boolean
  dangerouslyAllowSVG: boolean
  contentDispositionType: 'inline' | 'attachment'
  contentSecurityPolicy: string
  /** Largest source in pixels of its canvas; images that pass through undecoded have a limit of frames instead. */
  maximumPixels: number
  /** Encoder effort by format (libvips scale). */
  effort: { avif: number; webp: number }
}

/** For which bundle the build calls the `plugins` of the config. */
export interface PluginsContext {
  bundle: 'browser' | 'server' | 'actions'
  /** Whether this is the development server. */
  dev: boolean
}

export interface PublicEnvRule {
  type: 'string' | 'number' | 'boolean' | 'url'
  optional?: boolean
  default?: string | number | boolean
}

/** The locales of the site; the default locale is the first one. */
export interface I18n extends Locales {
  locales: string[]
  /** false: the root of the site is that of the default locale for all clients. */
  localeDetection: boolean
}

/** A value of the environment that only the renderer and the actions service read: no default, which would be in the build. */
export type EnvRule = Pick<PublicEnvRule, 'type' | 'optional'>

/** A variable `NEXT_PUBLIC_…` that code of an app of Next.js reads by its literal name (X6). */
export interface CodeVariable {
  /** The value during the build; absent: it had none. */
  default?: string
  /** Code of the browser reads the variable: documents have its value. */
  browser?: true
}

export interface Manifest {
  format: typeof MANIFEST_FORMAT
  /** Version of Portico that wrote the build. */
  version: string
  buildId: string
  /** Hash of the pages in dist/prerendered, which are no part of the build id (X9); absent without any. */
  prerendered?: string
  basePath: string
  /** Origin and path, or path, in front of `/_portico/static` in the addresses of hashed files; absent: basePath. */
  assetPrefix?: string
  trailingSlash: boolean
  /** Absent: the site has no locales (X14). */
  i18n?: I18n
  /** The rules that are not Portico's own; empty but in compatibility mode. */
  semantics: Semantics
  /** Redirects, rewrites and header rules distinguish upper and lower case, which paths of pages always do. */
  caseSensitiveRoutes?: true
  /** Routes with a path; `_app`, `404` and the like are in `screens`. */
  pages: PageEntry[]
  /** '/404', '/500', '/_error' if the app folder has them. */
  screens: PageEntry[]
  apiRoutes: RouteFile[]
  actions: ActionEntry[]
  redirects: RedirectRule[]
  rewrites: RewriteRule[]
  /** Key: an origin to which rewrites lead, as `URL.origin` writes it. Others receive no credentials. */
  rewriteOrigins: Record<string, RewriteOrigin>
  headers: HeaderRule[]
  /** Absent: the site has no middleware. A matcher at least: a module without `config.matcher` has one for all paths. */
  middleware?: { matchers: readonly MiddlewareMatcher[] }
  csp: CspTable
  images: ImageSettings
  publicEnv: Record<string, PublicEnvRule>
  /** Variables with a value of the build, which the environment of a service may replace; absent: code reads none. */
  codeEnv?: Record<string, CodeVariable>
  /** The secrets of the site by name, without values. */
  env: Record<string, EnvRule>
  /** The script that starts the browser side, and the styles of `_app`. */
  browserEntry: RouteFiles
  /** Key: path below `dist/public`, beginning with a slash, percent-decoded. */
  publicFiles: Record<string, FileEntry>
  /** Key: file name below `dist/client/static`. */
  staticFiles: Record<string, FileEntry>
}

/** The routes as the browser's router needs them; served at `{prefix}/manifest/{buildId}.json`. */
export interface BrowserManifest {
  buildId: string
  /** In a site with locales. */
  i18n?: Locales
  /** Pages of different `policy` have different content security policies; without one it is that of the site. */
  pages: { pattern: string; data: DataKind; files: RouteFiles; policy?: number }[]
  /** Patterns of all paths for which middleware may run, with `guardedLinks`: it may serve such a path without a page. */
  guarded?: string[]
  /** A default screen has no files; it is listed if it has a policy of its own. `hasData`: it has getStaticProps. */
  screens: { pattern: string; files?: RouteFiles; policy?: number; hasData?: true }[]
}

/**
 * Why this version of Portico does not read the build of another one; undefined for versions that differ in the patch
 * only: a minor version may change what a build contains.
 */
export function foreignBuildReason(version: unknown): string | undefined {
  if (typeof version === 'string' && minorOf(version) === minorOf(PORTICO_VERSION)) return undefined
  return `dist/ was built by Portico ${typeof version === 'string' ? version : 'of an earlier version'}, and this is Portico ${PORTICO_VERSION}`
}

function minorOf(version: string): string {
  return version.split('.', 2).join('.')
}

/**
 * Checks a parsed dist/manifest.json. Throws an error for operators for another shape, another format, or the build of
 * another minor version of Portico.
 */
export function parseManifest(value: unknown): Manifest {
  const manifest = value as Partial<Manifest> | null
  if (typeof manifest !== 'object' || manifest === null || typeof manifest.buildId !== 'string')
    throw new Error('the manifest is not one of Portico: run `portico build` again')
  const foreign = foreignBuildReason(manifest.version)
  if (foreign) throw new Error(`${foreign}: run \`portico build\` again`)
  if (manifest.format !== MANIFEST_FORMAT)
    throw new Error(
      `the manifest has format ${String(manifest.format)}, this version reads ${MANIFEST_FORMAT}: run \`portico build\` again`,
    )
  // SECURITY: a guard that no request reaches must not pass as a site without one.
  if (manifest.middleware !== undefined && !hasMatchers(manifest.middleware))
    throw new Error('middleware of the manifest has no matcher: run `portico build` again')
  // The build of this repository wrote the manifest: the format number implies the shape.
  return manifest as Manifest
}

function hasMatchers(middleware: unknown): boolean {
  if (typeof middleware !== 'object' || middleware === null) return false
  const { matchers } = middleware as { matchers?: unknown }
  return Array.isArray(matchers) && matchers.length > 0 && matchers.every(({ source }) => typeof source === 'string')
}

export interface RouteFile {
  /** Pattern in Pages Router notation, as in `/places/[slug]`. */
  pattern: string
  /** File that defines it, for messages. */
  file: string
}
