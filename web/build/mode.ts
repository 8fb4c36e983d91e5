// Compatibility mode as builds and development read it: how the sites of an adapter differ from those of Portico, what their
// configuration sets besides the fields of portico.config.*, and the report of what a mode read, mapped, ignored and refused
// (X).

import type { Semantics } from '@portico/shared/wire/semantics.ts'
import type { CSSOptions } from 'vite'

export interface ModeSettings {
  /** The mode of the adapter is on. */
  on: boolean
  /** The rules of the mode; empty where it is off. */
  semantics: Semantics
  /** Code of browsers has the globals of Node. */
  hasNodeGlobals: boolean
  /** Names of files, such as `server/…` and `….server.ts`, keep modules out of the browser. */
  hasServerNames: boolean
  /** The pages may be in `src/`, middleware in `proxy`, and a folder may have handlers without a page. */
  hasOtherPlaces: boolean
  /** Pages may have getInitialProps, and `_app` reportWebVitals. */
  hasInitialProps: boolean
  /** Members of `config` of pages and middleware that are for hosts have no effect; otherwise they are refused. */
  acceptsHostMembers: boolean
  /** Pages with getServerSideProps take every method, and forms; otherwise GET and HEAD. */
  takesForms: boolean
  /** No condition of a rule holds for an empty value, and an empty value of a condition is none. */
  hasNotEmptyConditions: boolean
  /** Endings of pages and API handlers, without the first dot. */
  pageExtensions: string[]
  /** Expressions that the bundler replaces in every bundle, such as `process.env.A`: text of their values. */
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
  /** Images have their addresses as they are. */
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
  /** Values for code of the site; `server` is left out of the browser. */
  runtimeConfig?: { public: Record<string, unknown>; server: Record<string, unknown> }
  /** Plugins of a PostCSS configuration that lists them by name. */
  postcss?: PostcssPlugins
  /** Compiles files of MDX. */
  mdx?: MdxCompiler
  /** In their order. */
  loaderRules: LoaderRule[]
}

type PostcssOptions = Exclude<CSSOptions['postcss'], string | undefined>
export type PostcssPlugins = NonNullable<PostcssOptions['plugins']>

export interface MdxCompiler {
  /** Whether a file is compiled. */
  matches(path: string): boolean
  /** The module of a file (absolute path). Throws BuildError for what the compiler reports. */
  compile(path: string, source: string): Promise<string>
}

/** Loaders of webpack, and the files that they compile. */
export interface LoaderRule {
  /** Names the rule in errors. */
  field: string
  /** Matches the path in the app folder, or the name where it has no slash. */
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
export function inlinedNames({ defines }: ModeSettings): string[] {
  return Object.keys(defines).flatMap((expression) => /^process\.env\.(\w+)$/.exec(expression)?.[1] ?? [])
}

/** What decides which files of an app folder have a meaning, and what their `config` may have. */
export type FolderRules = Pick<
  ModeSettings,
  | 'semantics'
  | 'pageExtensions'
  | 'hasOtherPlaces'
  | 'hasInitialProps'
  | 'acceptsHostMembers'
  | 'takesForms'
  | 'hasNotEmptyConditions'
>

/** The settings of a site for which no mode is on. */
export function ownSettings(): ModeSettings {
  return {
    semantics: {},
    on: false,
    hasNodeGlobals: false,
    hasServerNames: true,
    hasOtherPlaces: false,
    hasInitialProps: false,
    acceptsHostMembers: false,
    takesForms: false,
    hasNotEmptyConditions: false,
    pageExtensions: ['tsx', 'ts', 'jsx', 'js'],
    defines: {},
    serverDefines: {},
    reactStrictMode: false,
    sass: {},
    aliases: {},
    loaderRules: [],
  }
}

interface ReportLine {
  /** A field of the configuration, a file, or both. */
  field: string
  note: string
}

export interface RefusedLine {
  field: string
  /** What Portico does not do. */
  rule: string
  /** What the author can do. */
  remedy: string
}

export interface ModeReport {
  /** Configuration and `.env` files. */
  read: string[]
  mapped: ReportLine[]
  ignored: ReportLine[]
  refused: RefusedLine[]
}

export function emptyReport(): ModeReport {
  return { read: [], mapped: [], ignored: [], refused: [] }
}

/** The report as text, one line for each entry. */
export function reportLines(framework: string, { read, mapped, ignored, refused }: ModeReport): string[] {
  return [
    `Compatibility with ${framework}: read ${read.length > 0 ? read.join(', ') : 'no configuration'}`,
    ...mapped.map(({ field, note }) => `  mapped: ${field}${note && `: ${note}`}`),
    ...ignored.map(({ field, note }) => `  ignored: ${field}: ${note}`),
    ...refused.map((line) => `  refused: ${refusalText(line)}`),
  ]
}

export function refusalText({ field, rule, remedy }: RefusedLine): string {
  return `${field}: ${rule}; ${remedy}`
}
