// Vite under development. The renderer passes requests to Vite, and the development connection carries Vite's messages.

import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import vm from 'node:vm'
import type { ServerBundle } from '@portico/shared/wire/bundles.ts'
import { createSiteEvaluator } from '@portico/shared/wire/dev/site-evaluator.ts'
import {
  createServer,
  createServerModuleRunner,
  type DevEnvironment,
  type EnvironmentModuleNode,
  type HotPayload,
  isCSSRequest,
  type ViteDevServer,
} from 'vite'
import type { BundleSources } from '../../bundles/bundle-sources.ts'
import { screensOf } from '../../folder/app-folder.ts'
import { RUNTIME_FILES } from '../../framework-files.ts'
import type { DevImages } from '../../transforms/images.ts'
import { createShownPages } from '../shown-pages.ts'
import { createBrowserChannel } from './browser-channel.ts'
import { DEV_CLIENT, DEV_ENTRY, devBase } from './dev-urls.ts'
import { forgetFailed } from './failed-modules.ts'
import { recheckFile } from './file-watcher.ts'
import { createLinkedStyles } from './linked-styles.ts'
import { createModuleCaches, resolveAgain } from './module-caches.ts'
import { sendModule, type Unsent } from './send-module.ts'
import { createAddresses, createServedFiles } from './served-files.ts'
import { createServerCodeCheck } from './server-code-check.ts'
import { devSitePlugins, ENVIRONMENTS, viteConfig } from './vite-config.ts'

export interface DevViteOptions {
  sources: () => BundleSources
  images: DevImages
  /** Called with the absolute path of every file that is added, changed or removed. */
  onFile: (file: string) => void
  /** Receives a line for each plugin of the site that adds what has no effect. */
  onNotes: (lines: readonly string[]) => void
  /** Called when a module of the server has run that had thrown before. */
  onHealed: () => void
}

export type DevVite = Awaited<ReturnType<typeof createDevVite>>

export async function createDevVite({ sources, images, onFile, onNotes, onHealed }: DevViteOptions) {
  const channel = createBrowserChannel()
  const { folder, config } = sources()
  const scanned = Promise.withResolvers<void>()
  const serverCode = createServerCodeCheck(sources)
  const base = devBase(config.basePath)
  const addresses = createAddresses(base)
  const withMiddlewares = new Set<string>()
  const ownPlugins = [...(await devSitePlugins(config, (name) => withMiddlewares.add(name))), serverCode.plugin]
  const server = await createServer(
    viteConfig({ sources, images, channel, onScanned: scanned.resolve, ownPlugins, addresses: addresses.plugin }),
  )
  await scanned.promise
  onNotes(
    [...withMiddlewares].map(
      (name) =>
        `plugins: "${name}" adds middlewares, which have no effect: serve what it adds as modules, pages or API handlers`,
    ),
  )
  const client = environmentOf(server, ENVIRONMENTS.browser)
  const ssr = environmentOf(server, ENVIRONMENTS.renderer)
  const actions = environmentOf(server, ENVIRONMENTS.actions)
  const environments = [client, ssr, actions]
  const runner = createServerModuleRunner(ssr, {
    hmr: false,
    sourcemapInterceptor: 'prepareStackTrace',
    evaluator: forgetFailed(createSiteEvaluator(vm), {
      environment: ssr,
      runner: () => runner,
      onHealed,
    }),
  })
  const files = createServedFiles({ client, appDir: folder.dir, base, addresses, entries: () => entriesOf(sources()) })
  for (const event of ['add', 'change', 'unlink'] as const)
    server.watcher.on(event, (file) => {
      onFile(file)
      files.changed()
      recheckFile(server.watcher, file)
    })
  bundlePackages(client, sources().next.on ? [...REACT_MODULES, ...NEXT_MODULES] : REACT_MODULES)
  const shownPages = createShownPages(client)

  return {
    ...createModuleCaches(environments, runner),
    ...createLinkedStyles({ environment: ssr, runner, appDir: folder.dir, base }),
    /**
     * Sends the module that a request below `{prefix}/dev/` names. Anything else is returned, with nothing sent: a file,
     * or the reason why the request receives none.
     */
    async serve(request: IncomingMessage, response: ServerResponse): Promise<Unsent | undefined> {
      // Without files: another server rendered the page of this request, if this one has rendered none.
      await shownPages([])
      const found = await files.find(request.url ?? '/')
      return found.kind === 'module' ? sendModule({ client, found, request, response }) : found
    },
    /** Loads the renderer's bundle from the current sources. */
    importServer: async () => (await runner.import<{ bundle: ServerBundle }>(RUNTIME_FILES.serverEntry)).bundle,
    /** Handles a call of the actions service's module runner. */
    // The cast: Vite checks the payload's members, and the caller holds the stack's token.
    invokeActions: (payload: unknown): Promise<unknown> => actions.hot.handleInvoke(payload as HotPayload),
    /** Whether a change of this file is only seen in the browser, which has its modules: a component or a stylesheet. */
    isBrowserOnly: (file: string): boolean =>
      [...(client.moduleGraph.getModulesByFile(file) ?? [])].some(updatesInPlace),
    /** Whether a module imports the file, or is it; a stylesheet that follows the file is updated by Vite alone. */
    isModule: (file: string): boolean =>
      environments.some(({ moduleGraph }) =>
        [...(moduleGraph.getModulesByFile(file) ?? [])].some(({ type }) => type !== 'asset'),
      ),
    /** What is wrong with the requested modules of an app-relative file now. */
    check: async (file: string): Promise<ModuleState> => {
      const path = join(folder.dir, file)
      // Who imports a file that is gone has the error.
      if (!existsSync(path)) return { kind: 'fine' }
      const state = await transformAgain(environments, path)
      return state.kind === 'fine' && (await serverCode.isFaulty(file)) ? { kind: 'server-code' } : state
    },
    channel,
    /** Transforms the first modules of every page in advance. Call it after the first render: one process does both. */
    warmBrowser(): void {
      for (const url of [DEV_ENTRY, RUNTIME_FILES.browserEntry]) void client.warmupRequest(url)
    },
    /** Prepares a page (app-relative paths) for its browser. Call it after the render: one process does both. */
    showPage: (files: readonly string[]): void => void shownPages(files.map((file) => `/${file}`)),
    /** Reloads every connected page. */
    reloadPages: (): void => client.hot.send({ type: 'full-reload' }),
    close: async (): Promise<void> => {
      await serverCode.close()
      await runner.close()
      await server.close()
    },
  }
}

/** Modules that every page imports. Vite would discover them while the first page loads, and then reload the page. */
const REACT_MODULES = ['react', 'react/jsx-dev-runtime', 'react/jsx-runtime', 'react-dom', 'react-dom/client']

/** Modules of CommonJS that the runtime imports: Vite bundles none that a package imports, as the runtime is one. */
const NEXT_MODULES = ['styled-jsx', 'styled-jsx/style']

/** Modules that documents and the router's manifest name, as keys of Vite's module graph. */
function entriesOf({ folder }: BundleSources): string[] {
  const pages = [...folder.pages, ...screensOf(folder)].map(({ file }) => `/${file}`)
  return [DEV_ENTRY, DEV_CLIENT, '/@vite/client', '/@react-refresh', ...pages]
}

/** Bundles packages for the browser before the first page requests them. */
function bundlePackages(client: DevEnvironment, names: readonly string[]): void {
  const require = createRequire(RUNTIME_FILES.index)
  for (const name of names) client.depsOptimizer?.registerMissingImport(name, require.resolve(name))
}

/**
 * Modules without an update of their own are shared with server code: what a data function returns may change with them.
 * Vite's nodes of type `asset` are files that a PostCSS plugin reads, imported by no module.
 */
function updatesInPlace({ type, isSelfAccepting, url }: EnvironmentModuleNode): boolean {
  return type !== 'asset' && (isSelfAccepting === true || isCSSRequest(url))
}

function environmentOf(server: ViteDevServer, name: string): DevEnvironment {
  const environment = server.environments[name]
  if (!environment) throw new Error(`the development server has no environment "${name}"`)
  return environment
}

/** `server-code`: the modules can be transformed, and import code that browsers must not have. */
type ModuleState = { kind: 'fine' } | { kind: 'server-code' } | { kind: 'failed'; error: unknown }

async function transformAgain(environments: readonly DevEnvironment[], file: string): Promise<ModuleState> {
  for (const environment of environments) {
    await resolveAgain(environment, file)
    for (const { url } of environment.moduleGraph.getModulesByFile(file) ?? [])
      try {
        await environment.transformRequest(url)
      } catch (error) {
        return { kind: 'failed', error }
      }
  }
  return { kind: 'fine' }
}
