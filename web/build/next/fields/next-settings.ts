// Compatibility mode as builds and development read it: what a next.config.* sets besides the fields of portico.config.*.

import type { MdxCompiler } from '../mdx/mdx-compiler.ts'
import type { PostcssPlugins } from '../postcss.ts'

export interface NextSettings {
  on: boolean
  /** Endings of pages and API handlers, without the first dot. */
  pageExtensions: string[]
  /** Expressions that the bundler replaces in every bundle, such as `process.env.NEXT_PUBLIC_A`: text of their values. */
  defines: Record<string, string>
  /** The same for the server's bundles only. */
  serverDefines: Record<string, string>
  /**
   * The variables `NEXT_PUBLIC_…` that code reads at run time, with the values of the build. Undefined where bundles have
   * the values: under development, and with `inlineEnv`.
   */
  codeEnv?: Readonly<Record<string, string>>
  /** Development renders the app in React's StrictMode. */
  reactStrictMode: boolean
  /** Time for a page that the build renders; undefined: that of the renderer. */
  pageLimitMs?: number
  /** Rules distinguish upper and lower case. */
  caseSensitiveRoutes?: true
  /** Calls of the console that a build keeps; undefined keeps all. */
  removeConsole?: { exclude: string[] }
  /** Options of the bundler's transform for styled-components. */
  styledComponents?: Record<string, unknown>
  jsxImportSource?: string
  /** `next/image` leaves every address as it is. */
  unoptimizedImages?: true
  /** Options of Sass. */
  sass: Record<string, unknown>
  /** Name of the package that must compile it. */
  sassPackage?: string
  /** Imports that mean other modules. */
  aliases: Record<string, string>
  /** false: browsers have no packages in the place of Node's modules. */
  nodeModules?: false
  /** Endings that imports may leave out, in their order. */
  resolveExtensions?: string[]
  /** Name of the file with `paths` and `baseUrl`. */
  tsconfig?: string
  /** What `next/config` returns; `server` is left out of the browser. */
  runtimeConfig?: { public: Record<string, unknown>; server: Record<string, unknown> }
  /** Plugins of a PostCSS configuration that lists them by name. */
  postcss?: PostcssPlugins
  /** Compiles the files that `withMDX` of `@next/mdx` names. */
  mdx?: MdxCompiler
  /** The rules of `turbopack.rules`, in their order. */
  loaderRules: LoaderRule[]
}

/** Loaders of webpack, and the files that they compile. */
export interface LoaderRule {
  /** Names the rule in errors. */
  field: string
  /** Of the path in the app folder, or of the name where it has no slash. */
  glob: string
  condition?: LoaderCondition
  /** The last one runs first, as in webpack. */
  loaders: WebpackLoader[]
  /** Ending of what they return, such as `.js`; undefined for that of the file. */
  as?: LoaderResult
}

export type LoaderResult = '.js' | '.jsx' | '.mjs' | '.ts' | '.tsx' | '.json'

export interface WebpackLoader {
  /** Name of a module of the app, or a path. */
  name: string
  options: Record<string, unknown>
}

export type LoaderCondition =
  | { kind: 'all' | 'any'; conditions: LoaderCondition[] }
  | { kind: 'not'; condition: LoaderCondition }
  | { kind: 'place'; name: LoaderPlace }
  /** Each that is given must match; a text is a glob. */
  | { kind: 'file'; path?: string | RegExp; content?: RegExp }

/** `foreign` is code of packages. */
export type LoaderPlace = 'browser' | 'node' | 'edge-light' | 'foreign' | 'development' | 'production'

/** The variables of the environment whose values are in every bundle. */
export function inlinedNames({ defines }: NextSettings): string[] {
  return Object.keys(defines).flatMap((expression) => /^process\.env\.(\w+)$/.exec(expression)?.[1] ?? [])
}

/** As in Next.js. */
const PAGE_LIMIT_MS = 60_000

/** The settings of an app without next.config.*, or of a site for which the mode is off. */
export function defaultSettings(on: boolean): NextSettings {
  return {
    on,
    pageExtensions: ['tsx', 'ts', 'jsx', 'js'],
    defines: {},
    serverDefines: on ? { 'process.env.NEXT_RUNTIME': '"nodejs"' } : {},
    reactStrictMode: false,
    ...(on && { pageLimitMs: PAGE_LIMIT_MS }),
    sass: {},
    aliases: {},
    loaderRules: [],
  }
}
