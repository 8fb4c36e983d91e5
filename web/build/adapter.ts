// A compatibility mode: app folders that were written for another framework build and run unchanged. Builds, development and
// `portico check` know this interface only. registered-adapter.ts names the adapter that they have, or none.

import type { DataKind, RouteFile } from '@portico/shared/wire/build-output.ts'
import type { EnvMode } from '@portico/shared/wire/environment/env-files.ts'
import type { InlineConfig, Plugin, Rolldown } from 'vite'
import type { BuildError } from './build-error.ts'
import type { BundleSources } from './bundle-sources/bundle-sources.ts'
import type { RunConfig } from './config/config.ts'
import type { AppFolder } from './folder/folder.ts'
import type { ModeReport, ModeSettings, PostcssPlugins } from './mode.ts'

export interface SiteAdapter {
  /**
   * The mode of an app folder; undefined for a folder for which it is off. `portico` is the folder's portico.config.*, not
   * checked. Throws BuildError for two configurations that do not know of each other.
   */
  readMode(appDir: string, portico: RunConfig | undefined): Promise<FoundMode | undefined>
  /** Lines for a folder for which the mode is off, although it looks like one of the framework. */
  hintsOf(appDir: string): Promise<string[]>
  vite: ViteParts
  modules: AdapterModules
  generated: GeneratedCode
  kinds: PageKinds
  variables: CodeVariables
  /** What `portico check` reports of a module of the site besides faults: each text begins with its place. */
  findingsIn(module: { code: string; path: string; file: string }): { text: string; docs: string }[]
}

/** A mode that is on. */
export interface FoundMode {
  /** Those of a folder without any configuration. */
  settings: ModeSettings
  /** Reads the folder, and runs its configuration. Throws BuildError for a configuration that cannot be run. */
  read(options: { mode: EnvMode; environment: NodeJS.ProcessEnv }): Promise<AdaptedConfig>
}

export interface AdaptedConfig {
  /** The framework, as lines of the build name it. */
  framework: string
  /** Name of the framework's configuration file; undefined for an app without one. */
  file: string | undefined
  /** Fields of portico.config.*, not checked. */
  site: Record<string, unknown>
  settings: ModeSettings
  /** The fields that the file sets, and those that they were mapped to. */
  fields: string[]
  report: ModeReport
  /** Values of the `.env` files and of the environment. */
  values: NodeJS.ProcessEnv
  /** Absolute paths of all files that were read. */
  files: string[]
  /** Called when the configuration is accepted: plugins run. Undefined for a folder that Vite reads as it is. */
  readPostcss(): Promise<PostcssPlugins | undefined>
}

/** All are called with the settings of any folder, but for `options` and `ofPackages`: those of a mode that is on. */
interface ViteParts {
  /** Options besides those of every site. */
  options(sources: Pick<BundleSources, 'folder' | 'next'>): InlineConfig
  /** The first plugins of every bundle. Each calls `sources` again, because development changes the result. */
  plugins(appDir: string, sources: () => BundleSources): Plugin[]
  /** Plugins for packages that development bundles in advance. */
  ofPackages(settings: ModeSettings): Plugin[]
  /** A script of the site as the plugins compile it for a server under development. */
  compileSource(appDir: string, settings: ModeSettings, path: string, code: string): Promise<string>
}

/** The modules that sites and packages import by the names of the framework. */
interface AdapterModules {
  /** The file of each, by name. */
  files: ReadonlyMap<string, string>
  /** Whether `require` of a module is its default export, with all names as members. */
  isDefaultRequired(specifier: string): boolean
  /** Declarations by their path in `.portico/types`; `entry` is the one that the compiler options name. */
  types: { entry: string; write(): Readonly<Record<string, string>> }
}

/** Lines of modules that the build writes, for what the mode has in another form than Portico. */
interface GeneratedCode {
  /** `App` and the document of the server. */
  server(folder: AppFolder): string[]
  /** `App` of the browser. */
  browser(folder: AppFolder, isStrict: boolean): string
  /** The function that makes middleware of a site's function, and the module that exports it. */
  middleware: { create: string; module: string }
}

/** Variables of the environment that code of the site reads by their names. */
interface CodeVariables {
  /** The reads of variables that the configuration declares, too: they would have two rules. */
  faultsIn(
    module: { code: string; path: string; file: string },
    sources: Pick<BundleSources, 'next' | 'config'>,
  ): BuildError[]
  /** Uses in code of the browser that mean something else than the author may expect. */
  usesIn(code: string, path: string, settings: ModeSettings): VariableUses
}

export interface VariableUses {
  /** Each rule with the offsets of its uses. */
  rules: Map<string, number[]>
  /** Whether code uses `process.env` in another way, too. */
  hasOthers: boolean
}

/** Returns the kind of data of a page or screen, from the kind of data function that the page exports. */
export type KindOfRoute = (route: Pick<RouteFile, 'pattern' | 'file'>, exported: DataKind) => DataKind

/** Kinds of data that exports of a page do not say. The functions throw BuildError for a page with two. */
interface PageKinds {
  /** As the sources say: under development, and before a build. */
  ofSources(
    sources: Pick<BundleSources, 'folder' | 'next'>,
    routes: readonly Pick<RouteFile, 'pattern' | 'file'>[],
  ): Promise<KindOfRoute>
  /** As the pages of a built bundle in `outDir` say. */
  ofBuild(
    sources: Pick<BundleSources, 'folder' | 'config' | 'next' | 'packages'>,
    outDir: string,
    output: Rolldown.RolldownOutput['output'],
    note: (line: string) => void,
  ): Promise<KindOfRoute>
}
