// The plugins that builds, development and tests of sites share, with the resolution of `portico` and React, and with the
// virtual modules that the entries of the three bundles import: the pages, actions and settings of the app folder.

import { join } from 'node:path'
import type { RouteFile } from '@portico/shared/wire/build-output.ts'
import { REACT_PACKAGES } from '@portico/shared/wire/bundles.ts'
import type { Plugin } from 'vite'
import { adapterOf } from '../active-adapter.ts'
import type { BundleSources } from '../bundle-sources/bundle-sources.ts'
import type { SiteConfig } from '../config/config.ts'
import { type AppFolder, screensOf } from '../folder/folder.ts'
import { RUNTIME_FILES, runtimeModule } from '../framework-files.ts'
import type { ModeSettings } from '../mode.ts'
import { packages } from '../packages/packages.ts'
import { adapter } from '../registered-adapter.ts'
import { nodeGlobals, serverCode } from '../server-code/server-code.ts'
import { composedStyles, documentStyles } from '../styles/styles.ts'
import { type DevImages, nextImports, transforms } from '../transforms/transforms.ts'

/** Shares the framework with packages. */
export const SHARE_FRAMEWORK = runtimeModule('server/share-framework.ts')

export const VIRTUAL_MODULES = {
  serverPages: 'virtual:portico/server-pages',
  browserApp: 'virtual:portico/browser-app',
  instrumentationClient: 'virtual:portico/instrumentation-client',
  actions: 'virtual:portico/actions',
  framework: 'virtual:portico/framework',
} as const

function virtualModules(sources: () => BundleSources): Plugin {
  const writers: Record<string, (isDev: boolean) => string> = {
    [VIRTUAL_MODULES.serverPages]: () => serverPages(sources()),
    [VIRTUAL_MODULES.browserApp]: (isDev) => browserApp(sources(), isDev),
    [VIRTUAL_MODULES.instrumentationClient]: () => instrumentationClient(sources()),
    [VIRTUAL_MODULES.actions]: () => actionsModule(sources()),
    [VIRTUAL_MODULES.framework]: (isDev) => frameworkModule(sources(), isDev),
  }
  return {
    name: 'portico:virtual-modules',
    resolveId: (id) => (id in writers ? `\0${id}` : undefined),
    load(id) {
      return id.startsWith('\0') ? writers[id.slice(1)]?.(this.environment.mode === 'dev') : undefined
    },
  }
}

function serverPages({ folder, config, next }: BundleSources): string {
  const lines = [
    ...(adapterOf(next)?.generated.server(folder) ?? [appLine(folder), ...documentLines(folder)]),
    imagesLine(config, next),
    ...middlewareLines(folder, next),
    instrumentationLine(folder),
    `export const pages = ${importsOf(folder, [...folder.pages, ...screensOf(folder)])}`,
  ]
  return `${lines.join('\n')}\n`
}

/**
 * The framework's modules by the names that packages import (W7). Development shares them when the module runs; the entry of
 * a build does.
 */
function frameworkModule({ folder, next }: BundleSources, isDev: boolean): string {
  const files = new Map([
    ['portico', RUNTIME_FILES.index],
    ['portico/server', RUNTIME_FILES.server],
    ['portico/config', RUNTIME_FILES.config],
    ...(adapterOf(next)?.modules.files ?? []),
  ])
  const paths = [...new Set(files.values())]
  const imports = paths.map((file, index) => `import * as module${index} from ${JSON.stringify(file)}`)
  const members = [...files].map(([name, file]) => `  ${JSON.stringify(name)}: module${paths.indexOf(file)},`)
  const modules = `${imports.join('\n')}\nexport const modules = {\n${members.join('\n')}\n}\n`
  if (!isDev) return modules
  return `import { shareSources } from ${JSON.stringify(SHARE_FRAMEWORK)}
${modules}shareSources(${JSON.stringify(RUNTIME_FILES.index)}, ${JSON.stringify(folder.dir)}, modules)\n`
}

const OWN_MIDDLEWARE = {
  create: 'createMiddleware',
  module: runtimeModule('server/create-middleware.ts'),
}

/** A named export is before the default export, as in Next.js. */
function middlewareLines(folder: AppFolder, next: ModeSettings): string[] {
  const { middleware } = folder
  if (!middleware) return ['export const middleware = undefined']
  const { create, module } = adapterOf(next)?.generated.middleware ?? OWN_MIDDLEWARE
  const load = `() => import(${path(folder, middleware.file)}).then((module) => module.${middleware.name} ?? module.default)`
  return [`import { ${create} } from ${JSON.stringify(module)}`, `export const middleware = ${create}(${load})`]
}

function documentLines(folder: AppFolder): string[] {
  return [
    folder.document
      ? `export { default as Document } from ${path(folder, folder.document)}`
      : 'export const Document = undefined',
    'export const createFrame = undefined',
    'export const createInitialProps = undefined',
    'export const createRequestDocument = undefined',
  ]
}

function browserApp({ folder, config, next }: BundleSources, isDev: boolean): string {
  const app = adapterOf(next)?.generated.browser(folder, isDev && next.reactStrictMode) ?? appLine(folder)
  // Before every other module of the site: it observes what they do while they are loaded.
  const first = folder.instrumentationClient ? `import ${JSON.stringify(VIRTUAL_MODULES.instrumentationClient)}\n` : ''
  return `${first}${app}\n${imagesLine(config, next)}`
}

/** The framework's part is in bundles of sites that export `onError` only. */
function instrumentationClient({ folder }: BundleSources): string {
  const { instrumentationClient: file, hasErrorHook } = folder
  if (file === undefined) return ''
  if (!hasErrorHook) return `import ${path(folder, file)}\n`
  return `import * as site from ${path(folder, file)}
import { watchErrors } from ${JSON.stringify(runtimeModule('browser/report-errors.ts'))}
if (site.onError) watchErrors(site.onError)\n`
}

function instrumentationLine(folder: AppFolder): string {
  const { instrumentation } = folder
  return `export const instrumentation = ${instrumentation ? `() => import(${path(folder, instrumentation)})` : 'undefined'}`
}

function appLine(folder: AppFolder): string {
  return folder.app ? `export { default as App } from ${path(folder, folder.app)}` : 'export const App = undefined'
}

function quoted(name: string): string {
  return JSON.stringify(runtimeModule(`next/${name}`))
}

function imagesLine({ images }: SiteConfig, { unoptimizedImages }: ModeSettings): string {
  const { deviceSizes, imageSizes, qualities } = images
  const unoptimized = unoptimizedImages && { unoptimized: true }
  return `export const images = ${JSON.stringify({ deviceSizes, imageSizes, qualities, ...unoptimized })}`
}

function actionsModule({ folder, actions, next }: BundleSources): string {
  const entries = actions.map(
    ({ id, file, name }) =>
      `  ${JSON.stringify(id)}: { name: ${JSON.stringify(`${file}#${name}`)}, load: () => import(${path(folder, file)}).then((module) => module[${JSON.stringify(name)}]) },`,
  )
  return `export const actions = {\n${entries.join('\n')}\n}\nexport const apiRoutes = ${importsOf(folder, folder.apiRoutes)}\n${next.on ? `export { NextRequest as EdgeRequest } from ${quoted('server.ts')}` : 'export const EdgeRequest = undefined'}\n${instrumentationLine(folder)}\n`
}

/** An object literal that imports each route's file at first use. */
function importsOf(folder: AppFolder, routes: readonly RouteFile[]): string {
  const lines = routes.map(({ pattern, file }) => `  ${JSON.stringify(pattern)}: () => import(${path(folder, file)}),`)
  return `{\n${lines.join('\n')}\n}`
}

function path(folder: AppFolder, file: string): string {
  return JSON.stringify(join(folder.dir, file))
}

/** The plugins of every bundle, in order. Each plugin calls `sources` again, because development changes the result. */
export function porticoPlugins(appDir: string, sources: () => BundleSources, dev?: DevImages): Plugin[] {
  return [
    ...(adapter?.vite.plugins(appDir, sources) ?? []),
    nextImports(appDir, () => !sources().next.on),
    documentStyles(appDir, sources),
    composedStyles(),
    serverCode(appDir, sources),
    nodeGlobals(() => sources().next),
    packages(appDir, sources),
    resolveFramework(sources),
    virtualModules(sources),
    ...transforms(appDir, sources, {
      isDefaultRequired: (name) => adapterOf(sources().next)?.modules.isDefaultRequired(name) === true,
      dev,
    }),
  ]
}

/** Resolves `portico` and React to this framework's copies, wherever the app folder is. */
function resolveFramework(sources: () => BundleSources): Plugin {
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
      if (own[source]) return own[source]
      if (importer === RUNTIME_FILES.index || !REACT_PACKAGES.test(source)) return undefined
      if (importer) sources().react.note(source, importer)
      return this.resolve(source, RUNTIME_FILES.index, { skipSelf: true })
    },
  }
}
