// Vite under development. The renderer passes requests to Vite, and the development connection carries Vite's messages.

import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import vm from 'node:vm'
import type { ServerBundle } from '@portico/shared/wire/bundles.ts'
import { createSiteEvaluator } from '@portico/shared/wire/dev/site-evaluator.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import {
  createServer,
  createServerModuleRunner,
  type DevEnvironment,
  type EnvironmentModuleNode,
  type HotChannel,
  type HotChannelClient,
  type HotPayload,
  isCSSRequest,
  type ViteDevServer,
} from 'vite'
import type { EvaluatedModuleNode, ModuleEvaluator, ModuleRunner } from 'vite/module-runner'
import type { BundleSources } from '../bundle-sources/bundle-sources.ts'
import { screensOf } from '../folder/folder.ts'
import { RUNTIME_FILES } from '../framework-files.ts'
import { importedSources, withoutQuery } from '../source/source.ts'
import type { DevImages } from '../transforms/transforms.ts'
import { DEV_CLIENT, DEV_ENTRY, devBase } from './dev-plugins.ts'
import { createLinkedStyles } from './linked-styles.ts'
import {
  createAddresses,
  createModuleCaches,
  createServedFiles,
  resolveAgain,
  sendModule,
  type Unsent,
} from './served-files.ts'
import { createServerCodeCheck } from './server-code-check.ts'
import { devSitePlugins, ENVIRONMENTS, recheckFile, viteConfig } from './vite-config.ts'

// The pages that this process has rendered. Vite bundles the packages that pages import for the browser; a package that is
// found later changes bundles that browsers have the names of: Vite rejects requests for them and reloads the page. No
// browser therefore receives a module before the modules of every rendered page were transformed and their packages bundled.

/**
 * Returns a function that receives the files of a rendered page, as keys of Vite's module graph, and resolves when browsers
 * may receive modules; it never rejects. Files that were received before are ignored. (Vite keeps the first key of a module
 * as its address: with another key an edit would give the module an address that no stack leads back to the file.)
 */
function createShownPages(client: DevEnvironment): (files: readonly string[]) => Promise<void> {
  const shown = new Set<string>()
  let ready: Promise<void> | undefined
  return (files) => {
    const added = files.filter((file) => !shown.has(file))
    if (ready && added.length === 0) return ready
    for (const file of added) shown.add(file)
    ready = Promise.all([ready, transformAll(client, added)]).then(() => bundled(client))
    return ready
  }
}

/** Transforms modules and what they import statically. Vite notes the packages that they import. */
async function transformAll(client: DevEnvironment, files: readonly string[]): Promise<void> {
  const seen = new Set<string>()
  const visit = async (url: string): Promise<void> => {
    // Vite loads a package when it is bundled.
    if (seen.has(url) || isCSSRequest(url) || client.depsOptimizer?.isOptimizedDepUrl(url)) return
    seen.add(url)
    try {
      await client.transformRequest(url)
      await Promise.all((await staticImports(client, url)).map(visit))
    } catch {
      // The browser requests the module next: this request reports the error.
    }
  }
  await Promise.all(files.map(visit))
}

/** URLs of the modules that a transformed module imports when it is loaded. */
async function staticImports({ config, moduleGraph }: DevEnvironment, url: string): Promise<string[]> {
  const module = await moduleGraph.getModuleByUrl(url)
  const sources = importedSources(module?.transformResult?.code ?? '', 'module.js').map(withoutQuery)
  const imported = [...(module?.importedModules ?? [])].map((next) => next.url)
  return imported.filter((next) => sources.includes(config.base + withoutQuery(next).slice(1)))
}

/** Resolves when the packages that Vite has noted are bundled, or cannot be. */
async function bundled({ depsOptimizer }: DevEnvironment): Promise<void> {
  const noted = Object.values(depsOptimizer?.metadata.discovered ?? {})
  await Promise.all(noted.map(({ processing }) => processing))
  // In the same turn of the event loop Vite discards the modules that import the earlier bundles.
  await setImmediate()
}

/** One page in one browser. */
interface BrowserPeer {
  /** Sends a message of Vite's protocol to the page. */
  send(text: string): void
}

type Listener = (data: unknown, client: HotChannelClient) => void

/** Vite's messages to and from browsers. Vite has no socket: the development connection carries the messages (V2). */
function createBrowserChannel() {
  const peers = new Set<BrowserPeer>()
  const listeners = new Map<string, Set<Listener>>()
  const senders: ((payload: HotPayload) => void)[] = []
  const emit = (event: string, data: unknown, peer: BrowserPeer) => {
    const client: HotChannelClient = { send: (payload: HotPayload) => peer.send(JSON.stringify(payload)) }
    for (const listener of listeners.get(event) ?? []) listener(data, client)
  }
  return {
    transport: {
      send(payload: HotPayload) {
        for (const listener of senders) listener(payload)
        const text = JSON.stringify(payload)
        for (const peer of peers) peer.send(text)
      },
      on(event: string, listener: Listener) {
        listeners.set(event, (listeners.get(event) ?? new Set()).add(listener))
      },
      // The cast: Vite's type accepts any function here.
      off: (event: string, listener: unknown) => void listeners.get(event)?.delete(listener as Listener),
      close: () => peers.clear(),
      // The cast: Vite infers the type of `data` from the name of an event; here every event is a string.
    } as HotChannel,
    join(peer: BrowserPeer): void {
      peers.add(peer)
      peer.send('{"type":"connected"}')
      emit('vite:client:connect', undefined, peer)
    },
    leave(peer: BrowserPeer): void {
      if (peers.delete(peer)) emit('vite:client:disconnect', undefined, peer)
    },
    /** Passes a message of a page to Vite. */
    receive(peer: BrowserPeer, text: string): void {
      const message = parseCustom(text)
      if (message) emit(message.event, message.data, peer)
    },
    /** Calls the listener with every message that Vite sends to browsers, errors of modules included. */
    onSend: (listener: (payload: HotPayload) => void) => void senders.push(listener),
  }
}

/**
 * SECURITY: accepts custom events only. With `vite:invoke` a page could request any module by name; our pages never send
 * it.
 */
function parseCustom(text: string): { event: string; data: unknown } | undefined {
  try {
    const message: unknown = JSON.parse(text)
    if (!isRecord(message)) return undefined
    const { type, event, data } = message
    return type === 'custom' && typeof event === 'string' && event !== 'vite:invoke' ? { event, data } : undefined
  } catch {
    // Not a message of Vite's protocol: ignored.
    return undefined
  }
}

interface FailedModulesDeps {
  environment: DevEnvironment
  /** The runner of the evaluator. */
  runner: () => ModuleRunner
  /** Called when a module has run that had thrown before. */
  onHealed: () => void
}

// Modules of the server that threw when they ran run again at their next import: what they lacked may be there then, such as
// a package that was installed meanwhile. Vite's runner keeps their error until a file changes.

/** Wraps an evaluator; importers of a module that throws throw, too, so each is forgotten on its own. */
function forgetFailed(
  evaluator: ModuleEvaluator,
  { environment, runner, onHealed }: FailedModulesDeps,
): ModuleEvaluator {
  const failed = new Set<string>()
  const forget = ({ id }: Readonly<EvaluatedModuleNode>) => {
    failed.add(id)
    const { moduleGraph } = environment
    // What its imports led to is part of the transformed code.
    const transformed = moduleGraph.getModuleById(id)
    if (transformed) moduleGraph.invalidateModule(transformed)
    const { evaluatedModules } = runner()
    const run = evaluatedModules.getModuleById(id)
    if (run) evaluatedModules.invalidateModule(run)
  }
  return {
    ...(evaluator.startOffset !== undefined && { startOffset: evaluator.startOffset }),
    runExternalModule: (file) => evaluator.runExternalModule(file),
    async runInlinedModule(context, code, module) {
      try {
        await evaluator.runInlinedModule(context, code, module)
      } catch (error) {
        forget(module)
        throw error
      }
      if (failed.delete(module.id)) onHealed()
    },
  }
}

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
