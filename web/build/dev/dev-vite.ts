// Vite under development: three environments with one set of plugins. Vite has no port and no socket: the renderer passes
// requests to Vite, and the development connection carries Vite's messages.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import react from '@vitejs/plugin-react'
import {
  createServer,
  createServerModuleRunner,
  DevEnvironment,
  type EnvironmentModuleNode,
  type EnvironmentOptions,
  type HotPayload,
  type InlineConfig,
  isCSSRequest,
  type ResolvedConfig,
  type ViteDevServer,
} from 'vite'
import type { ServerBundle } from '../../../services/shared/wire/bundles.ts'
import {
  type BundleSources,
  commonConfig,
  porticoPlugins,
  RUNTIME_FILES,
  SHARED_FOLDERS,
} from '../bundles/bundle-config.ts'
import { VIRTUAL_MODULES } from '../bundles/virtual-modules.ts'
import { TYPES_FILE } from '../folder/site-types.ts'
import type { DevImages } from '../transforms/images.ts'
import { type BrowserChannel, createBrowserChannel } from './browser-channel.ts'
import { DEV_ENTRY, devBase } from './dev-manifest.ts'
import { devModules } from './entry-modules.ts'
import { recheckFile, ScannedEnvironment } from './file-watcher.ts'
import { nativePackages } from './native-packages.ts'
import { nativeReact, reactOfPackages } from './native-react.ts'

export interface DevViteOptions {
  sources: () => BundleSources
  images: DevImages
  /** Called with the absolute path of every file that is added, changed or removed. */
  onFile: (file: string) => void
}

export interface DevVite {
  /** Serves modules and files below `{prefix}/dev/`; calls `next` for any other request. */
  serve(request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void
  /** Loads the renderer's bundle from the current sources. */
  importServer(): Promise<ServerBundle>
  /** Handles a call of the actions service's module runner. */
  invokeActions(payload: unknown): Promise<unknown>
  /** Removes the modules of these files, and their importers, from the module caches. */
  invalidate(files: readonly string[]): void
  /** Removes the virtual modules from the module caches. */
  invalidateVirtual(): void
  /** Whether a browser has loaded a module of this file. */
  isInBrowser(file: string): boolean
  /** Whether every requested module of an app-relative file can be transformed now. */
  check(file: string): Promise<boolean>
  /** URLs of the stylesheets that a file of the app folder imports, directly or indirectly. */
  stylesOf(file: string): string[]
  /** Text of a stylesheet by a URL of `stylesOf`; undefined for any other URL. */
  readStyle(url: string): Promise<string> | undefined
  channel: BrowserChannel
  /** Transforms the first modules of every page in advance. Call it after the first render: one process does both. */
  warmBrowser(): void
  /** Reloads every connected page. */
  reloadPages(): void
  close(): Promise<void>
}

const ACTIONS = 'actions'
/** End of a stylesheet's URL in a document; Vite's client loads the same stylesheet as a module. */
const DIRECT = '?direct'

export async function createDevVite({ sources, images, onFile }: DevViteOptions): Promise<DevVite> {
  const channel = createBrowserChannel()
  const { folder, config } = sources()
  const scanned = Promise.withResolvers<void>()
  const server = await createServer(devConfig({ sources, images, onFile }, { channel, onScanned: scanned.resolve }))
  await scanned.promise
  const environments = Object.values(server.environments)
  const ssr = environmentOf(server, 'ssr')
  const actions = environmentOf(server, ACTIONS)
  const runner = createServerModuleRunner(ssr, { hmr: false, sourcemapInterceptor: 'prepareStackTrace' })
  for (const event of ['add', 'change', 'unlink'] as const)
    server.watcher.on(event, (file) => {
      onFile(file)
      recheckFile(server.watcher, file)
    })
  const base = devBase(config.basePath)
  const linked = new Set<string>()
  const client = environmentOf(server, 'client')
  registerReact(client)

  const invalidate = (ids: Iterable<string>) => {
    const queue = [...ids]
    const seen = new Set<string>()
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const node = seen.has(id) ? undefined : runner.evaluatedModules.getModuleById(id)
      seen.add(id)
      if (!node) continue
      queue.push(...node.importers)
      runner.evaluatedModules.invalidateModule(node)
    }
  }

  return {
    serve: (request, response, next) => server.middlewares(request, response, next),
    importServer: async () => ((await runner.import(RUNTIME_FILES.serverEntry)) as { bundle: ServerBundle }).bundle,
    invokeActions: (payload) => actions.hot.handleInvoke(payload as HotPayload),
    invalidate(files) {
      for (const file of files) {
        for (const { moduleGraph } of environments) moduleGraph.onFileChange(file)
        invalidate([...(runner.evaluatedModules.getModulesByFile(file) ?? [])].map(({ id }) => id))
      }
    },
    invalidateVirtual() {
      const ids = Object.values(VIRTUAL_MODULES).map((name) => `\0${name}`)
      for (const { moduleGraph } of environments)
        for (const id of ids) {
          const module = moduleGraph.getModuleById(id)
          if (module) moduleGraph.invalidateModule(module)
        }
      invalidate(ids)
    },
    isInBrowser: (file) => (client.moduleGraph.getModulesByFile(file)?.size ?? 0) > 0,
    check: (file) => canTransform(environments, join(folder.dir, file)),
    stylesOf(file) {
      const urls = stylesBelow(ssr, join(folder.dir, file)).map((url) => base + url.slice(1))
      for (const url of urls) linked.add(url)
      return urls
    },
    readStyle(url) {
      // SECURITY: serves linked stylesheets only: the server environment would read any stylesheet of the machine.
      if (!linked.has(url)) return undefined
      // Read in the server environment: in the client environment a change of the stylesheet would reload the page.
      const path = `/${url.slice(base.length, -DIRECT.length)}`
      return runner.import(`${path}?inline`).then(({ default: text }: { default: unknown }) => String(text))
    },
    channel,
    warmBrowser() {
      for (const url of [DEV_ENTRY, RUNTIME_FILES.browserEntry]) void client.warmupRequest(url)
    },
    reloadPages: () => client.hot.send({ type: 'full-reload' }),
    close: async () => {
      await runner.close()
      await server.close()
    },
  }
}

interface DevServerParts {
  channel: BrowserChannel
  /** Called when the watcher has scanned the folder and reports every later change. */
  onScanned: () => void
}

function devConfig({ sources, images }: DevViteOptions, { channel, onScanned }: DevServerParts): InlineConfig {
  const { folder, config } = sources()
  const serverSide: EnvironmentOptions = {
    consumer: 'server',
    resolve: { noExternal: true, external: config.serverExternalPackages },
  }
  return {
    ...commonConfig(folder, config),
    base: devBase(config.basePath),
    mode: 'development',
    appType: 'custom',
    cacheDir: join(folder.dir, '.portico', 'vite'),
    plugins: [
      nativeReact(),
      nativePackages(),
      devModules(),
      ...porticoPlugins(folder.dir, sources, images),
      react({ exclude: /\/node_modules\// }),
    ],
    optimizeDeps: {
      entries: [],
      exclude: ['portico', 'portico/server', 'portico/config'],
      rolldownOptions: { plugins: [reactOfPackages()] },
    },
    environments: {
      client: {
        dev: {
          createEnvironment(name, resolved) {
            return new ScannedEnvironment(name, resolved, { hot: true, transport: channel.transport }, onScanned)
          },
        },
      },
      ssr: serverSide,
      [ACTIONS]: {
        ...serverSide,
        dev: {
          createEnvironment: (name: string, resolved: ResolvedConfig) =>
            new DevEnvironment(name, resolved, { hot: false, transport: { skipFsCheck: true } }),
        },
      },
    },
    server: {
      middlewareMode: true,
      // The renderer checks host and origin before Vite receives a request (V3).
      allowedHosts: true,
      cors: false,
      ws: false,
      hmr: { overlay: false },
      watch: {
        ignored: [
          join(folder.dir, 'dist', '**'),
          join(folder.dir, '.portico', '**'),
          join(folder.dir, TYPES_FILE),
          '**/.data/**',
        ],
      },
      // SECURITY: Vite reads no file outside the app folder, the framework and the packages that pages import (V3).
      fs: {
        strict: true,
        allow: [folder.dir, ...SHARED_FOLDERS, ...packageFolders(), dirname(viteClient())],
        deny: ['.env', '.env.*', '*.{crt,pem,key,sqlite,sqlite-*}', '**/.git/**', '**/.data/**'],
      },
      preTransformRequests: true,
    },
  }
}

/** Modules that every page imports. Vite would discover them while the first page loads, and then reload the page. */
const REACT_MODULES = ['react', 'react/jsx-dev-runtime', 'react/jsx-runtime', 'react-dom', 'react-dom/client']

/** Bundles React for the browser before the first page requests it. */
function registerReact(client: DevEnvironment): void {
  const require = createRequire(RUNTIME_FILES.index)
  for (const name of REACT_MODULES) client.depsOptimizer?.registerMissingImport(name, require.resolve(name))
}

function environmentOf(server: ViteDevServer, name: string): DevEnvironment {
  const environment = server.environments[name]
  if (!environment) throw new Error(`the development server has no environment "${name}"`)
  return environment
}

function viteClient(): string {
  return createRequire(import.meta.url)
    .resolve('vite/package.json')
    .replace('package.json', 'dist/client/client.mjs')
}

/** The node_modules folder of React and the framework's other packages. */
function packageFolders(): string[] {
  const react = createRequire(RUNTIME_FILES.index).resolve('react/package.json')
  return [join(dirname(react), '..')]
}

async function canTransform(environments: readonly DevEnvironment[], file: string): Promise<boolean> {
  for (const environment of environments)
    for (const { url } of environment.moduleGraph.getModulesByFile(file) ?? [])
      try {
        await environment.transformRequest(url)
      } catch {
        // The error was reported when the module was requested; the caller only needs to know that it persists.
        return false
      }
  return true
}

/** Stylesheets in import order, depth first, as in a build. */
function stylesBelow(environment: DevEnvironment, file: string): string[] {
  const styles = new Set<string>()
  const seen = new Set<EnvironmentModuleNode>()
  const visit = (module: EnvironmentModuleNode) => {
    if (seen.has(module)) return
    seen.add(module)
    if (isCSSRequest(module.url)) styles.add(module.url.split('?')[0] + DIRECT)
    for (const next of module.importedModules) visit(next)
  }
  for (const module of environment.moduleGraph.getModulesByFile(file) ?? []) visit(module)
  return [...styles]
}
