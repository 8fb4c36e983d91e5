// Configures Vite for the three bundles of a site, and builds one of them.
// Guarantees: equal sources give equal files on every machine; one chunk for React and one for the framework; an error names
// file, line and rule, and no import of server code is in the browser bundle.
// Leaves the plugins to portico-plugins.ts and the parts that they are of, and what the output means for routes to route-facts.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, isAbsolute, join, parse } from 'node:path'
import { staticUrl } from '@portico/shared/wire/routing/urls.ts'
import { build, type InlineConfig, mergeConfig, type RenderBuiltAssetUrl, type Rolldown } from 'vite'
import { adapterOf } from '../active-adapter.ts'
import { BuildError, lineAndColumn } from '../build-error.ts'
import type { BundleSources, ServerCodeFinding } from '../bundle-sources/bundle-sources.ts'
import type { AppFolder } from '../folder/folder.ts'
import { isShared, RUNTIME_FILES } from '../framework-files.ts'
import type { ModeSettings } from '../mode.ts'
import { PACKAGES } from '../packages/packages.ts'
import { readableError } from '../readable-error.ts'
import { globalsOf } from '../server-code/server-code.ts'
import { appRelative, withoutQuery } from '../source/source.ts'
import { sourceNames } from '../source-maps/source-maps.ts'
import { styleFiles } from '../styles/styles.ts'
import { REFERENCES } from '../transforms/transforms.ts'
import { porticoPlugins, SHARE_FRAMEWORK, VIRTUAL_MODULES } from './portico-plugins.ts'
import { sitePlugins } from './site-plugins.ts'

export { porticoPlugins, VIRTUAL_MODULES } from './portico-plugins.ts'
export { sitePlugins } from './site-plugins.ts'

// Names of built files. They are parts of URLs and of headers, so they have letters of ASCII only, whatever the names of the
// sources; the hash of the content makes them unique.

/** Letters of a name, so that file systems (255 bytes) have room for the rest. */
const LONGEST = 80
/** Digits of a hash that distinguishes patterns: no two of 10 000 are equal by chance. */
const HASH_DIGITS = 12

/** Each route's chunk name: `/places/[slug]` is `page-places-slug`. Names that would be equal, or empty, have a hash. */
export function pageNames(patterns: readonly string[]): Map<string, string> {
  const given = patterns.map((pattern) => [pattern, plainName(pattern === '/' ? 'index' : pattern)] as const)
  // File systems may ignore case.
  const byName = Map.groupBy(given, ([, name]) => name.toLowerCase())
  return new Map(
    given.map(([pattern, name]) => {
      const isOwn = name !== '' && byName.get(name.toLowerCase())?.length === 1
      return [pattern, ['page', name, isOwn ? '' : hashOf(pattern)].filter(Boolean).join('-')]
    }),
  )
}

/** The name of a source as a part of the name of a built file. */
export function fileName(source: string): string {
  return plainName(basename(source)) || 'file'
}

function plainName(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-|-$/g, '')
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS)
}

const isFramework = (id: string) => id !== RUNTIME_FILES.browserEntry && isShared(id)

/**
 * One chunk for React and one for the framework, whatever pages import from them: they change with a release, pages
 * change with every build. Code that loads at first use (the router, the submission of actions) has its own chunks.
 */
const FRAMEWORK_CHUNKS: Rolldown.CodeSplittingGroup[] = [
  { name: 'react', test: /[\\/]node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 2 },
  { name: 'framework', test: isFramework, tags: ['$initial'], priority: 1 },
]

export type BundleName = 'client' | 'server' | 'actions'

/** What builds, development and tests of a site share. */
export function commonConfig(sources: Pick<BundleSources, 'folder' | 'config' | 'next'>): InlineConfig {
  const { folder, config } = sources
  const common: InlineConfig = {
    configFile: false,
    // SECURITY: Vite puts variables of the environment with its prefix into code that reads import.meta.env.
    envFile: false,
    envPrefix: [],
    root: folder.dir,
    base: staticUrl(config.assetPrefix ?? config.basePath, ''),
    publicDir: false,
    logLevel: 'silent',
    clearScreen: false,
    // Paths of tsconfig.json, as TypeScript resolves them.
    resolve: { tsconfigPaths: true },
    css: {
      modules: {
        generateScopedName: (name, file) => `${name}_${shortHash(appRelative(folder.dir, withoutQuery(file)) + name)}`,
      },
    },
    oxc: { jsx: { runtime: 'automatic' } },
    define: switchesOf(sources),
  }
  return mergeConfig(common, adapterOf(sources.next)?.vite.options(sources) ?? {})
}

/**
 * Expressions of the runtime with their values: code for locales (X14), and for what rewrites and middleware add to the query
 * of a page (X5), and for errors of the browser (X16), is only in bundles of sites that have them.
 */
export function switchesOf({
  config: { i18n, rewrites },
  folder,
  next,
}: Pick<BundleSources, 'folder' | 'config' | 'next'>): Record<string, string> {
  const textOf = (isOn: boolean) => (isOn ? '"on"' : '""')
  return {
    'process.env.PORTICO_I18N': textOf(i18n !== undefined),
    'process.env.PORTICO_ERRORS': textOf(folder.hasErrorHook === true),
    'process.env.PORTICO_REWRITES': textOf(
      next.semantics.addedQuery === true && (rewrites.length > 0 || folder.middleware !== undefined),
    ),
  }
}

/** Configuration of one production bundle. */
async function bundleConfig(bundle: BundleName, sources: BundleSources, outDir: string): Promise<InlineConfig> {
  const { folder, config, next } = sources
  const isClient = bundle === 'client'
  const common = commonConfig(sources)
  return {
    ...common,
    plugins: [
      ...porticoPlugins(folder.dir, () => sources).filter(({ name }) => bundle !== 'actions' || name !== REFERENCES),
      ...(await sitePlugins(config, { bundle: isClient ? 'browser' : bundle, dev: false })),
      ...(isClient ? [styleFiles()] : []),
    ],
    worker: workerConfig(sources),
    ...(config.assetPrefix !== undefined && { experimental: { renderBuiltUrl: ownScripts(config.basePath) } }),
    define: { 'process.env.NODE_ENV': '"production"', ...common.define, ...(!isClient && next.serverDefines) },
    ...(!isClient && {
      // packages.ts has Node load those that Node can load.
      ssr: { noExternal: true as const, target: 'node' as const },
    }),
    build: {
      outDir,
      emptyOutDir: true,
      assetsDir: '',
      // The policy of documents (G6) allows data URLs for images. A font is fetched once, whether a preload or a stylesheet
      // names it.
      assetsInlineLimit: (file) => (INLINED.test(file) ? undefined : false),
      // Those of the server are for log lines, and for what the build itself reports of its modules and pages (E4).
      sourcemap: isClient ? BROWSER_MAPS[`${config.sourceMaps}`] : 'hidden',
      minify: isClient ? 'oxc' : false,
      cssMinify: 'lightningcss',
      // In every bundle: one name and one text for one sheet.
      cssTarget: CSS_TARGET,
      modulePreload: false,
      reportCompressedSize: false,
      copyPublicDir: false,
      // A file that only server code imports has an address, too.
      ...(!isClient && { ssr: true, target: 'node22', emitAssets: true }),
      rolldownOptions: {
        input: isClient
          ? clientInput(folder)
          : {
              site: bundle === 'server' ? RUNTIME_FILES.serverEntry : RUNTIME_FILES.actionsEntry,
              framework: VIRTUAL_MODULES.framework,
              share: SHARE_FRAMEWORK,
            },
        preserveEntrySignatures: isClient ? 'exports-only' : 'strict',
        // Debug comments contain paths: equal sources would give different chunks on another machine.
        experimental: { attachDebugInfo: 'none' },
        ...(isClient && { transform: browserTransform(next) }),
        output: {
          format: 'esm',
          entryFileNames: isClient ? chunkName : '[name].js',
          chunkFileNames: isClient ? chunkName : (chunk) => `chunks/${chunkName(chunk)}`,
          assetFileNames: assetName,
          hashCharacters: 'hex',
          sourcemapPathTransform: sourceNames(folder.dir),
          ...(isClient && { codeSplitting: { groups: FRAMEWORK_CHUNKS } }),
          // Positions are all that a log line needs.
          ...(!isClient && { sourcemapExcludeSources: true }),
        },
      },
    },
  }
}

/** Code behind `typeof window === 'undefined'` is removed. Web workers have no window, and their own options. */
function browserTransform(next: ModeSettings): ReturnType<typeof globalsOf> {
  const { define, ...others } = globalsOf(next)
  return { ...others, define: { ...define, 'typeof window': '"object"' } }
}

/**
 * Browsers run only workers of the page's origin; a script of another origin writes the page's in front of their paths.
 * Chunks import each other by relative addresses.
 */
function ownScripts(basePath: string): RenderBuiltAssetUrl {
  return (name, { type, hostType, ssr }) => {
    if (type !== 'asset' || hostType !== 'js' || !name.endsWith('.js')) return undefined
    const path = staticUrl(basePath, name)
    return ssr ? path : { runtime: `(location.origin+${JSON.stringify(path)})` }
  }
}

/** Workers are modules, as under development. Vite bundles each one by itself, with plugins of its own. */
function workerConfig(sources: BundleSources): NonNullable<InlineConfig['worker']> {
  const { folder, config, next } = sources
  return {
    format: 'es',
    plugins: () => [
      ...porticoPlugins(folder.dir, () => sources).filter(({ name }) => name !== PACKAGES),
      // The worker runs in the browser, whichever bundle has its address.
      sitePlugins(config, { bundle: 'browser', dev: false }),
    ],
    rolldownOptions: {
      transform: globalsOf(next),
      output: {
        entryFileNames: chunkName,
        chunkFileNames: chunkName,
        assetFileNames: assetName,
        hashCharacters: 'hex',
        sourcemapPathTransform: sourceNames(folder.dir),
        // In every bundle: one name for one worker.
        minify: true,
      },
    },
  }
}

/** The bundler's word for each value of `sourceMaps`. */
const BROWSER_MAPS = { hidden: 'hidden', public: true, false: false } as const

/** Vite's own list for browsers, which Vite does not use for stylesheets in bundles for Node. */
const CSS_TARGET = ['chrome111', 'edge111', 'firefox114', 'safari16.4', 'ios16.4']
const INLINED = /\.(png|jpe?g|webp|avif|gif|svg|ico)$/i

/** Each page is an entry, loaded by URL: no chunk contains the hashed name of another chunk that changes with it. */
function clientInput(folder: AppFolder): Record<string, string> {
  const input: Record<string, string> = { start: RUNTIME_FILES.browserEntry }
  const routes = [...folder.pages, ...folder.screens]
  const names = pageNames(routes.map(({ pattern }) => pattern))
  for (const { pattern, file } of routes) input[names.get(pattern)!] = join(folder.dir, file)
  return input
}

/** Chunk names of the framework code that loads at first use. */
const LATE_CHUNKS: Readonly<Record<string, string>> = {
  [RUNTIME_FILES.router]: 'framework-router',
  [RUNTIME_FILES.submitAction]: 'framework-actions',
  [RUNTIME_FILES.deferred]: 'framework-deferred',
}

function chunkName({
  name: given,
  facadeModuleId,
}: Pick<Rolldown.PreRenderedChunk, 'name' | 'facadeModuleId'>): string {
  return `${LATE_CHUNKS[facadeModuleId ?? ''] ?? fileName(given)}-[hash].js`
}

/**
 * Server and browser write the address of an imported file. Of files with equal bytes the bundler keeps one, whose name
 * differs between bundles; stylesheets are often equal, because the sheet of a page may be a sheet that has a `?url`.
 */
function assetName({ names }: Pick<Rolldown.PreRenderedAsset, 'names'>): string {
  const { name, ext } = parse(names[0] ?? '')
  return `${ext === '.css' ? 'styles' : fileName(name)}-[hash][extname]`
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 6)
}

/** Writes the bundle to `outDir` and returns the bundler's output. Throws BuildError for faults of the author. */
export async function buildBundle(
  name: BundleName,
  sources: BundleSources,
  outDir: string,
): Promise<Rolldown.RolldownOutput['output']> {
  try {
    const result = await build(await bundleConfig(name, sources, outDir))
    // Vite returns one output for one configuration, and a list or a watcher for others.
    if ('output' in result) {
      refuseServerCode(sources)
      return result.output
    }
  } catch (error) {
    throw readableError(error, sources.folder.dir)
  }
  throw new Error(`the ${name} bundle has no output`)
}

/**
 * The server code that a build would find in the browser bundle now. Writes nothing, and bundles the modules alone whose
 * absolute paths `leading` has: those from which imports lead to server code. All others, with React and every package, are
 * most of what a build parses.
 */
export async function findServerCode(
  sources: BundleSources,
  leading: { has(path: string): boolean },
): Promise<readonly ServerCodeFinding[]> {
  const serverCode: ServerCodeFinding[] = []
  const config = await bundleConfig('client', { ...sources, serverCode }, sources.folder.dir)
  const rolldownOptions = {
    input: { start: VIRTUAL_MODULES.browserApp },
    external: (id: string, _importer: unknown, isResolved: boolean) =>
      isResolved && isAbsolute(id) && !leading.has(withoutQuery(id)),
  }
  await build(mergeConfig(config, { build: { write: false, sourcemap: false, rolldownOptions } }))
  return serverCode
}

function refuseServerCode({ serverCode }: BundleSources): void {
  const errors = serverCode.filter(({ kind }) => kind === 'error')
  if (errors.length > 0) throw new BuildError(errors.map(placed).join('\n'))
}

/** The message, which begins with the file, with the line of the import or of the use. */
function placed({ importer, start, message }: ServerCodeFinding): string {
  if (start === undefined) return message
  return message.replace(': ', `:${lineAndColumn(readFileSync(importer, 'utf8'), start)}: `)
}
