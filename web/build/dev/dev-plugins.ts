// The plugins of Vite that only development has, each a few lines, and the URLs of the modules under development.

import { stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setTimeout as delay } from 'node:timers/promises'
import { REACT_PACKAGES } from '@portico/shared/wire/bundles.ts'
import { devSocketPath } from '@portico/shared/wire/dev/dev-wire.ts'
import { isApiPath } from '@portico/shared/wire/routing/urls.ts'
import { type EnvironmentModuleNode, isCSSRequest, type Plugin } from 'vite'
import { kindsOfSources } from '../active-adapter.ts'
import { throwFault } from '../build-error.ts'
import { type BundleSources, isSiteModule, readActionExports } from '../bundle-sources/bundle-sources.ts'
import { checkRoute, hasUseServer } from '../folder/folder.ts'
import { RUNTIME_FILES } from '../framework-files.ts'
import { kindOf } from '../route-facts.ts'
import { appRelative, isMarkdown, namesOfModule, parseModule, withoutQuery } from '../source/source.ts'

/** Ids of the virtual modules in entry-modules.ts. */
export const DEV_ENTRY = 'virtual:portico/dev-entry'
export const DEV_CLIENT = 'virtual:portico/dev-client'

/** Vite's base path: the URLs of all development modules begin with it. */
export function devBase(basePath: string): string {
  return `${devSocketPath(basePath)}/`
}

/** URL of a virtual module. */
export function devModuleUrl(basePath: string, name: string): string {
  return `${devBase(basePath)}@id/${name}`
}

const CONNECT = 'virtual:portico/dev-connect'
const MODULES: Readonly<Record<string, string>> = {
  [CONNECT]: `import { startDevClient } from ${JSON.stringify(RUNTIME_FILES.devClient)}\nstartDevClient()`,
  [DEV_CLIENT]: [CONNECT, '@vitejs/plugin-react/preamble'].map(importLine).join('\n'),
  // A dynamic import: the page's code may be broken, and a failed static import would stop our client too.
  [DEV_ENTRY]: `${importLine(DEV_CLIENT)}\nvoid import(${JSON.stringify(RUNTIME_FILES.devPage)})`,
}

// The first modules of a page under development, and their order: our connection before Vite's client, which must find
// WebSocket wrapped; the refresh hooks before React; the page last. The page's modules import Vite's client under the only
// URL that it may have.

export function devModules(): Plugin {
  return {
    name: 'portico:dev-modules',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'client',
    resolveId: (id) => (Object.hasOwn(MODULES, id) ? id : undefined),
    load: (id) => MODULES[id],
  }
}

function importLine(specifier: string): string {
  return `import ${JSON.stringify(specifier)}`
}

const require = createRequire(RUNTIME_FILES.index)

// React of packages that Vite bundles for the browser in advance: every importer gets the framework's copy.

/**
 * The React plugin has Vite bundle the React of the app folder in advance, where the folder has one: dev-vite.ts
 * registers the framework's copy under the same names.
 */
export function registeredReact(): Plugin {
  return {
    name: 'portico:registered-react',
    enforce: 'post',
    config(config) {
      const { optimizeDeps = {} } = config
      optimizeDeps.include = optimizeDeps.include?.filter((name) => !REACT_PACKAGES.test(name)) ?? []
    },
  }
}

/** Resolves React for the packages that Vite bundles for the browser in advance. */
export function reactOfPackages(): Plugin {
  return {
    name: 'portico:react-of-packages',
    resolveId: {
      filter: { id: REACT_PACKAGES },
      // Without an importer the source is the path of such a package itself.
      handler: (source, importer) => (importer ? require.resolve(source) : undefined),
    },
  }
}

// The files that a stylesheet is made from besides stylesheets: a PostCSS plugin such as Tailwind reads the sources of the
// folder. Vite has a module of type `asset` for each of these files, with the stylesheets as its importers.

/** Has stylesheets follow files that are added and removed. */
export function styleSources(): Plugin {
  return {
    name: 'portico:style-sources',
    hotUpdate({ type, modules }) {
      const { config, moduleGraph } = this.environment
      // Vite keeps the module of a file that no stylesheet reads any more, and would reload the page for its change.
      const used = modules.filter((module) => module.type !== 'asset' || module.importers.size > 0)
      if (type !== 'create') return used
      // No stylesheet has read a new file. Vite would reload the page for a module that the page no longer imports.
      const isUsed = (module: EnvironmentModuleNode) =>
        config.consumer === 'server' || module.isSelfAccepting === true || module.importers.size > 0
      return [
        ...used,
        ...[...moduleGraph.idToModuleMap.values()].filter((module) => readsFiles(module) && isUsed(module)),
      ]
    },
  }
}

function readsFiles({ url, importedModules }: EnvironmentModuleNode): boolean {
  return isCSSRequest(url) && importedModules.values().some(({ type }) => type === 'asset')
}

// The rules for one module of a site under development: a page, handler or module of actions that a build refuses fails when
// it is loaded, with the error of the build, and all others work.

/** Before every plugin that changes modules. */
export function moduleRules(appDir: string, sources: () => BundleSources): Plugin {
  return {
    name: 'portico:module-rules',
    enforce: 'pre',
    async transform(code, id) {
      const path = withoutQuery(id)
      const file = appRelative(appDir, path)
      if (id.startsWith('\0') || file.startsWith('..') || !isSiteModule(path) || isMarkdown(path)) return
      if (hasUseServer(code, file)) readActionExports(code, file)
      const { folder, next } = sources()
      const routes = [...folder.pages, ...folder.screens, ...folder.apiRoutes]
      const route = routes.find((each) => each.file === file)
      if (!route) return
      checkRoute({ ...route, code, rules: next }, throwFault)
      const body = isApiPath(route.pattern) ? [] : parseModule(code, path)
      // The bundler reports a module that cannot be parsed; an editor may be about to write one that is empty.
      if (body.length === 0) return
      const kindOfRoute = await kindsOfSources({ folder, next }, [route])
      kindOfRoute(
        route,
        kindOf(file, namesOfModule(body), () => code),
      )
    },
  }
}

/** A file that is still empty after this time was saved empty. */
const EMPTY_MS = 500
const CHECK_MS = 10

// Programs truncate a file before they write it. A module that is read in between has no exports: fast refresh would reload
// the page, and the page would lose its state.

/** Resolves when a file (absolute path) is not empty, is missing, or was saved empty. */
export async function whenWritten(file: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < EMPTY_MS; waitedMs += CHECK_MS) {
    const found = await stat(file).catch(() => undefined)
    if (!found || found.size > 0 || Math.abs(Date.now() - found.mtimeMs) > EMPTY_MS) return
    await delay(CHECK_MS)
  }
}

/** Has Vite wait before it reads a file of the app folder. */
export function writtenFiles(appDir: string): Plugin {
  return {
    name: 'portico:written-files',
    enforce: 'pre',
    async load(id) {
      const file = withoutQuery(id)
      const name = appRelative(appDir, file)
      // SECURITY: Vite reads the file itself, after it checked whether a browser may have the file (V3).
      if (!name.startsWith('..') && !name.includes('node_modules/')) await whenWritten(file)
    },
  }
}
