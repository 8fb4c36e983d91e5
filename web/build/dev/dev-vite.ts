// Vite as the development server's engine: three environments over one set of plugins. It has no port and no socket of
// its own: requests come through the renderer, its messages travel in the development connection.

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
import type { DevPictures } from '../transforms/images.ts'
import { type BrowserChannel, createBrowserChannel } from './browser-channel.ts'
import { DEV_ENTRY, devBase } from './dev-manifest.ts'
import { devModules } from './entry-modules.ts'
import { ScannedEnvironment, watchAgain } from './file-watcher.ts'
import { nativePackages } from './native-packages.ts'
import { nativeReact, reactOfPackages } from './native-react.ts'

export interface DevViteOptions {
  sources: () => BundleSources
  pictures: DevPictures
  /** Hears of every file that appears, changes or goes (absolute path). */
  onFile: (file: string) => void
}

export interface DevVite {
  /** Serves modules and files below `{prefix}/dev/`; calls `next` for what it does not know. */
  serve(request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void
  /** The renderer's bundle as the sources are now. */
  importServer(): Promise<ServerBundle>
  /** Answers a call of the actions service's module runner. */
  invokeActions(payload: unknown): Promise<unknown>
  /** Forgets what was made of these files and of everything that imports them. */
  invalidate(files: readonly string[]): void
  /** Forgets the modules that the build writes. */
  invalidateVirtual(): void
  /** Whether browsers have loaded something of this file. */
  isInBrowser(file: string): boolean
  /** Whether every module of an app-relative file that was asked for can be read now. */
  check(file: string): Promise<boolean>
  /** Addresses of the stylesheets that a file of the app folder brings with it. */
  stylesOf(file: string): string[]
  /** Text of a stylesheet by such an address, as a document links it; undefined for other addresses. */
  readStyle(url: string): Promise<string> | undefined
  channel: BrowserChannel
  /** Makes the modules that every page starts with. Whoever renders comes first: one process does both. */
  warmBrowser(): void
  /** Every connected page is loaded again. */
  reloadPages(): void
  close(): Promise<void>
}

const ACTIONS = 'actions'
/** Ends the address of a stylesheet in a document; Vite's client brings the same one as a module. */
const DIRECT = '?direct'

export async function createDevVite({ sources, pictures, onFile }: DevViteOptions): Promise<DevVite> {
  const channel = createBrowserChannel()
  const { folder, config } = sources()
  const scanned = Promise.withResolvers<void>()
  const server = await createServer(devConfig({ sources, pictures, onFile }, { channel, onScanned: scanned.resolve }))
  await scanned.promise
  const environments = Object.values(server.environments)
  const ssr = environmentOf(server, 'ssr')
  const actions = environmentOf(server, ACTIONS)
  const runner = createServerModuleRunner(ssr, { hmr: false, sourcemapInterceptor: 'prepareStackTrace' })
  for (const event of ['add', 'change', 'unlink'] as const)
    server.watcher.on(event, (file) => {
      onFile(file)
      watchAgain(server.watcher, file)
    })
  const base = devBase(config.basePath)
  const linked = new Set<string>()
  const client = environmentOf(server, 'client')
  registerReact(client)

  const forget = (ids: Iterable<string>) => {
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
        forget([...(runner.evaluatedModules.getModulesByFile(file) ?? [])].map(({ id }) => id))
      }
    },
    invalidateVirtual() {
      const ids = Object.values(VIRTUAL_MODULES).map((name) => `\0${name}`)
      for (const { moduleGraph } of environments)
        for (const id of ids) {
          const module = moduleGraph.getModuleById(id)
          if (module) moduleGraph.invalidateModule(module)
        }
      forget(ids)
    },
    isInBrowser: (file) => (client.moduleGraph.getModulesByFile(file)?.size ?? 0) > 0,
    check: (file) => canBeRead(environments, join(folder.dir, file)),
    stylesOf(file) {
      const urls = stylesBelow(ssr, join(folder.dir, file)).map((url) => base + url.slice(1))
      for (const url of urls) linked.add(url)
      return urls
    },
    readStyle(url) {
      // SECURITY: only what a document links: the server's side would read any stylesheet of the machine.
      if (!linked.has(url)) return undefined
      // Known to the browser's environment, it would be a page of its own to reload.
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
  /** The watcher has been through the folder: it hears of every change from now on. */
  onScanned: () => void
}

function devConfig({ sources, pictures }: DevViteOptions, { channel, onScanned }: DevServerParts): InlineConfig {
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
      ...porticoPlugins(folder.dir, sources, pictures),
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
      // Both are decided before a request comes here (V3).
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
      // SECURITY: nothing outside the app folder, the framework and the packages that pages import (V3).
      fs: {
        strict: true,
        allow: [folder.dir, ...SHARED_FOLDERS, ...packageFolders(), dirname(viteClient())],
        deny: ['.env', '.env.*', '*.{crt,pem,key,sqlite,sqlite-*}', '**/.git/**', '**/.data/**'],
      },
      preTransformRequests: true,
    },
  }
}

/** What every page needs and what is found only while a page loads: found late it would load the page a second time. */
const REACT_MODULES = ['react', 'react/jsx-dev-runtime', 'react/jsx-runtime', 'react-dom', 'react-dom/client']

/** Bundled for the browser before the first page asks. */
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

/** Where React and the other packages of the framework are. */
function packageFolders(): string[] {
  const react = createRequire(RUNTIME_FILES.index).resolve('react/package.json')
  return [join(dirname(react), '..')]
}

async function canBeRead(environments: readonly DevEnvironment[], file: string): Promise<boolean> {
  for (const environment of environments)
    for (const { url } of environment.moduleGraph.getModulesByFile(file) ?? [])
      try {
        await environment.transformRequest(url)
      } catch {
        // Reported when it was asked for; what is asked here is only whether it still fails.
        return false
      }
  return true
}

/** Stylesheets in the order of import, depth first, as a build would put them. */
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
