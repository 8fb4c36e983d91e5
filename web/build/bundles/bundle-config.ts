// Vite's configuration for the three bundles, and the plugins that builds and development share.

import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InlineConfig, Plugin, PluginOption, Rolldown } from 'vite'
import { REACT_PACKAGES } from '../../../services/shared/wire/bundles.ts'
import { staticUrl } from '../../../services/shared/wire/urls.ts'
import type { SiteConfig } from '../config/config-file.ts'
import { type AppFolder, appRelative, BuildError } from '../folder/app-folder.ts'
import type { GeneratedFiles } from '../folder/generated-files.ts'
import { type DevImages, images } from '../transforms/images.ts'
import { jsxInJs } from '../transforms/jsx-in-js.ts'
import { markdown } from '../transforms/markdown.ts'
import { stripDataFunctions } from '../transforms/strip-data-functions.ts'
import { type ActionExport, REFERENCES, useServerReferences } from '../transforms/use-server.ts'
import { virtualModules } from './virtual-modules.ts'

const RUNTIME = fileURLToPath(new URL('../../runtime/', import.meta.url))
const WIRE = fileURLToPath(new URL('../../../services/shared/wire/', import.meta.url))
export const RUNTIME_FILES = {
  config: join(RUNTIME, 'config.ts'),
  index: join(RUNTIME, 'index.ts'),
  server: join(RUNTIME, 'server/api.ts'),
  actionReference: join(RUNTIME, 'react/action-reference.ts'),
  browserEntry: join(RUNTIME, 'browser/start.tsx'),
  stylesheets: join(RUNTIME, 'browser/stylesheets.ts'),
  serverEntry: join(RUNTIME, 'server/entry.tsx'),
  actionsEntry: join(RUNTIME, 'server/actions-entry.ts'),
} as const

/** Folders with the framework's browser code. */
export const SHARED_FOLDERS: readonly string[] = [RUNTIME, WIRE]

const isFramework = (id: string) => id !== RUNTIME_FILES.browserEntry && (id.startsWith(RUNTIME) || id.startsWith(WIRE))

/**
 * One chunk for React and one for the framework, whatever pages import from them: they change with a release, pages
 * change with every build. Code that loads at first use (the router, the submission of actions) has its own chunks.
 */
const FRAMEWORK_CHUNKS: Rolldown.CodeSplittingGroup[] = [
  { name: 'react', test: /[\\/]node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 2 },
  { name: 'framework', test: isFramework, tags: ['$initial'], priority: 1 },
]

export interface BundleSources {
  folder: AppFolder
  config: SiteConfig
  actions: ActionExport[]
  generated: GeneratedFiles
}

export type BundleName = 'client' | 'server' | 'actions'

/** The plugins of every bundle, in order. Each plugin calls `sources` again, because development changes the result. */
export function porticoPlugins(appDir: string, sources: () => BundleSources, dev?: DevImages): PluginOption[] {
  const isPage = (id: string) => {
    const file = appRelative(appDir, id)
    const { pages, screens, app } = sources().folder
    return file === app || [...pages, ...screens].some((page) => page.file === file)
  }
  return [
    resolveFramework(appDir),
    virtualModules({
      folder: () => sources().folder,
      actions: () => sources().actions,
      images: () => sources().config.images,
    }),
    useServerReferences(appDir, RUNTIME_FILES.actionReference),
    stripDataFunctions(isPage),
    jsxInJs(appDir),
    images(appDir, () => sources().generated, dev),
    markdown(),
  ]
}

function bundlePlugins(bundle: BundleName, sources: BundleSources): PluginOption[] {
  const plugins = porticoPlugins(sources.folder.dir, () => sources)
  return bundle === 'actions' ? plugins.filter((plugin) => (plugin as Plugin).name !== REFERENCES) : plugins
}

/** Resolves `portico` and React to this framework's copies, wherever the app folder is. */
function resolveFramework(appDir: string): Plugin {
  const own: Readonly<Record<string, string>> = {
    portico: RUNTIME_FILES.index,
    'portico/server': RUNTIME_FILES.server,
    'portico/config': RUNTIME_FILES.config,
    // Replaces Vite's helper for dynamic imports, which would be a tenth of the framework chunk.
    '\0vite/preload-helper.js': RUNTIME_FILES.stylesheets,
  }
  return {
    name: 'portico:resolve-framework',
    enforce: 'pre',
    resolveId(source, importer) {
      // A browser cannot load portico/server, and it would become part of the framework chunk of every page.
      if (source === 'portico/server' && importer && this.environment.config.consumer === 'client')
        throw new BuildError(
          `${appRelative(appDir, importer)}: imports portico/server, but the browser loads this file; portico/server is for data functions, actions and API handlers only`,
        )
      if (own[source]) return own[source]
      if (importer !== RUNTIME_FILES.index && REACT_PACKAGES.test(source))
        return this.resolve(source, RUNTIME_FILES.index, { skipSelf: true })
      return undefined
    },
  }
}

export function commonConfig(folder: AppFolder, config: SiteConfig): InlineConfig {
  return {
    configFile: false,
    envFile: false,
    root: folder.dir,
    base: `${staticUrl(config.basePath, '')}`,
    publicDir: false,
    logLevel: 'silent',
    clearScreen: false,
    // Paths of tsconfig.json, as TypeScript resolves them.
    resolve: { tsconfigPaths: true },
    css: {
      modules: {
        generateScopedName: (name, file) => `${name}_${shortHash(appRelative(folder.dir, file.split('?')[0]!) + name)}`,
      },
    },
    oxc: { jsx: { runtime: 'automatic' } },
  }
}

/** Configuration of one production bundle. */
export function bundleConfig(bundle: BundleName, sources: BundleSources, outDir: string): InlineConfig {
  const { folder, config } = sources
  const isClient = bundle === 'client'
  return {
    ...commonConfig(folder, config),
    plugins: bundlePlugins(bundle, sources),
    define: { 'process.env.NODE_ENV': '"production"' },
    ...(!isClient && {
      ssr: { noExternal: true as const, external: config.serverExternalPackages, target: 'node' as const },
    }),
    build: {
      outDir,
      emptyOutDir: true,
      assetsDir: '',
      minify: isClient ? 'oxc' : false,
      cssMinify: 'lightningcss',
      modulePreload: false,
      reportCompressedSize: false,
      copyPublicDir: false,
      ...(!isClient && { ssr: true, target: 'node22' }),
      rolldownOptions: {
        input: isClient
          ? clientInput(folder)
          : { entry: bundle === 'server' ? RUNTIME_FILES.serverEntry : RUNTIME_FILES.actionsEntry },
        preserveEntrySignatures: isClient ? 'exports-only' : 'strict',
        // Debug comments contain paths: equal sources would give different chunks on another machine.
        experimental: { attachDebugInfo: 'none' },
        output: {
          format: 'esm',
          entryFileNames: isClient ? chunkName : '[name].js',
          chunkFileNames: isClient ? chunkName : 'chunks/[name]-[hash].js',
          assetFileNames: '[name]-[hash][extname]',
          hashCharacters: 'hex',
          ...(isClient && { codeSplitting: { groups: FRAMEWORK_CHUNKS } }),
        },
      },
    },
  }
}

/** Each page is an entry, loaded by URL: no chunk contains the hashed name of another chunk that changes with it. */
function clientInput(folder: AppFolder): Record<string, string> {
  const input: Record<string, string> = { start: RUNTIME_FILES.browserEntry }
  for (const { pattern, file } of [...folder.pages, ...folder.screens])
    input[pageName(pattern)] = join(folder.dir, file)
  return input
}

/** A route's chunk name: `/places/[slug]` is `page-places-slug`. */
function pageName(pattern: string): string {
  return `page-${pattern.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'index'}`
}

/** Chunk names of the framework code that loads at first use. */
const LATE_CHUNKS: Readonly<Record<string, string>> = {
  [join(RUNTIME, 'browser/navigation.ts')]: 'framework-router',
  [join(RUNTIME, 'browser/submit-action.ts')]: 'framework-actions',
}

function chunkName({
  name: given,
  facadeModuleId,
}: Pick<Rolldown.PreRenderedChunk, 'name' | 'facadeModuleId'>): string {
  const name = LATE_CHUNKS[facadeModuleId ?? ''] ?? given
  return `${basename(name).replace(/[^A-Za-z0-9_-]+/g, '-')}-[hash].js`
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 6)
}
