// `portico/config`: the shape of portico.config.ts. Validation, with field, value and rule, is the build's.

import type {
  EnvRule,
  HeaderRule,
  ImageSettings,
  PluginsContext,
  PublicEnvRule,
  RewriteOrigin,
  RewriteRule,
} from '@portico/shared/wire/build-output.ts'
import type { HasCondition } from '@portico/shared/wire/patterns/conditions.ts'
import type { CspDirectiveName, CspSource } from '@portico/shared/wire/policy/content-security-policy.ts'

/** The argument of `plugins`. */
export type { PluginsContext } from '@portico/shared/wire/build-output.ts'

/** A redirect by path pattern. It applies to pages and to their page data. */
export interface RedirectConfig {
  source: string
  destination: string
  /** true: 308, false: 307. Give this or `statusCode`. */
  permanent?: boolean
  statusCode?: 301 | 302 | 303 | 307 | 308
  /** All must hold. */
  has?: HasCondition[]
  /** None may hold. */
  missing?: HasCondition[]
  /** Source and destination are without `basePath`. */
  basePath?: false
  /** Source and destination contain the locale. Default: the rule is one of each locale. */
  locale?: false
}

/** A rewrite by path pattern, to another path of the site or to another host. */
export type RewriteConfig = Omit<RewriteRule, 'phase' | 'has' | 'missing'> & Pick<RedirectConfig, 'has' | 'missing'>

/** Headers by path pattern. */
export type HeaderConfig = Omit<HeaderRule, 'has' | 'missing'> & Pick<RedirectConfig, 'has' | 'missing'>

/** The locales of the site: pages are at `/about` in the default locale, and at `/fr/about` in the locale `fr`. */
export interface I18nConfig {
  /** Language tags such as `en` or `pt-BR`. */
  locales: readonly string[]
  /** One of `locales`; its paths need no prefix. */
  defaultLocale: string
  /** false: the root of the site is that of the default locale, whatever the client prefers. */
  localeDetection?: boolean
}

/** Rewrites by the time at which they are compared. */
export interface RewriteLists {
  /** One after the other, before files and pages. */
  beforeFiles?: RewriteConfig[]
  /** After files and pages of a fixed path, before pages with parameters, as a plain list. */
  afterFiles?: RewriteConfig[]
  /** After all pages. */
  fallback?: RewriteConfig[]
}

/**
 * The sources of a directive: hosts (`https://api.example.org`), schemes (`data:`), keywords with their quotes
 * (`"'self'"`), or values of `publicEnv` that services read at start. A list adds to what the directive allows; `replace`
 * replaces it.
 */
export type CspDirective = CspSource[] | { replace: CspSource[] }

/** Changes of the content security policy. */
export interface CspRule {
  /** By name, as in `'script-src'`. */
  directives?: Partial<Record<CspDirectiveName, CspDirective>>
  /** true: browsers report what the policy forbids, and block nothing. */
  reportOnly?: boolean
}

/** The content security policy of the site, and of single routes. */
export interface CspConfig extends CspRule {
  /**
   * Key: pattern of pages, as in `/places/[slug]`. The most specific pattern of a page wins; its changes are added to
   * those of the site. false: no policy.
   */
  routes?: Record<string, CspRule | false>
}

/** A Vite plugin, a list of plugins, a promise of them, or nothing. */
export type PluginOption = { name: string } | readonly unknown[] | Promise<unknown> | false | null | undefined

/** The content of `portico.config.ts`. Every member is optional; the build rejects unknown members. */
export interface PorticoConfig {
  /** Path prefix of the whole site, such as `/shop`; empty for the root. */
  basePath?: string
  /**
   * Origin or path from which browsers load the hashed files of a build, such as `https://cdn.example.org`: a CDN that
   * requests them from the site. Without it they are below `basePath`.
   */
  assetPrefix?: string
  trailingSlash?: boolean
  /** The locales of the site's paths. */
  i18n?: I18nConfig
  redirects?: RedirectConfig[]
  rewrites?: RewriteConfig[] | RewriteLists
  /**
   * Which credentials pass to other hosts, to which rewrites lead. Key: an origin such as `https://api.example.org`. Without
   * an entry no cookie and no Authorization passes. Middleware may rewrite to the origins that are named here.
   */
  rewriteOrigins?: Record<string, Partial<RewriteOrigin>>
  headers?: HeaderConfig[]
  /** Changes of the content security policy of documents; false: no policy. */
  csp?: CspConfig | false
  images?: Partial<ImageSettings>
  /** Environment variables that the browser may read, each with its type. Services read them at start. */
  publicEnv?: Record<string, PublicEnvRule>
  /**
   * Secrets: environment variables that only the renderer and the actions service read, at start, each with its type. Read
   * them as `env.NAME` of `portico/server`.
   */
  env?: Record<string, EnvRule>
  /**
   * Packages that Node loads from node_modules in any case. Those that Node can run stay there without being named: name one
   * whose JavaScript only looks as if Node could not run it.
   */
  serverExternalPackages?: string[]
  /** Packages that are part of the server bundles in any case. */
  transpilePackages?: string[]
  /**
   * When pages of known paths are rendered for the first time: `'build'` during the build, which writes them to
   * `dist/prerendered`; `'start'` when a renderer starts. Default: `'start'`, in compatibility mode `'build'`.
   */
  prerender?: 'build' | 'start'
  /**
   * The source maps of the scripts for browsers: `'hidden'` in `.portico/source-maps`, which no service serves; `'public'`
   * next to the scripts, where every client can read the sources; false: none. Default: `'hidden'`, in compatibility mode
   * `'public'` with `productionBrowserSourceMaps`.
   */
  sourceMaps?: 'hidden' | 'public' | false
  /** Packages that work in a browser without the server code that they import, such as `node:fs`. */
  browserStubs?: string[]
  /** Endings of pages and API handlers, without the first dot: `['tsx', 'mdx']`. Default: `tsx`, `ts`, `jsx` and `js`. */
  pageExtensions?: string[]
  /**
   * Compatibility mode: the folder is an app of Next.js, and these fields are added to those of its next.config file.
   * false turns the mode off where a next.config file would turn it on.
   */
  next?: boolean
  /**
   * In compatibility mode bundles contain the values of `process.env.NEXT_PUBLIC_…` that the build has, as in Next.js.
   * Without it these values are defaults, and services read the variables at start.
   */
  inlineEnv?: boolean
  /**
   * Vite plugins, called once for each bundle. A plugin must not set folders, inputs or outputs of the build.
   */
  plugins?: (context: PluginsContext) => PluginOption
}

/**
 * Types the default export of `portico.config.ts`. Returns its argument; the build validates it and reports field, value
 * and rule of every fault.
 *
 * @example
 * ```ts
 * // portico.config.ts
 * import { defineConfig } from 'portico/config'
 *
 * export default defineConfig({
 *   redirects: [{ source: '/plates/:slug', destination: '/places/:slug', permanent: true }],
 *   images: { remotePatterns: [{ protocol: 'https', hostname: 'images.example.org', pathname: '/**' }] },
 *   publicEnv: { PUBLIC_ORIGINS: { type: 'string', default: '' } },
 * })
 * ```
 */
export function defineConfig(config: PorticoConfig): PorticoConfig {
  return config
}
