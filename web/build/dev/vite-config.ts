// Vite's configuration under development: three environments with one set of plugins. Vite has no port and no socket.

import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PluginsContext } from '@portico/shared/wire/build-output.ts'
import { DATA_FOLDER } from '@portico/shared/wire/constants.ts'
import react from '@vitejs/plugin-react'
import {
  DevEnvironment,
  type DevEnvironmentContext,
  type EnvironmentOptions,
  type FSWatcher,
  type HotChannel,
  type InlineConfig,
  type Plugin,
  type ResolvedConfig,
  type ServerOptions,
} from 'vite'
import { adapterOf } from '../active-adapter.ts'
import type { BundleSources } from '../bundle-sources/bundle-sources.ts'
import { commonConfig, porticoPlugins, sitePlugins, switchesOf } from '../bundles/bundles.ts'
import type { SiteConfig } from '../config/config.ts'
import { NEVER_SENT_NAMES } from '../folder/folder.ts'
import { RUNTIME_FILES, SHARED_FOLDERS } from '../framework-files.ts'
import { globalsOf, nodeGlobals, stubsOfPackages } from '../server-code/server-code.ts'
import { TYPES_FILE } from '../site-types.ts'
import type { DevImages } from '../transforms/transforms.ts'
import {
  devBase,
  devModules,
  moduleRules,
  reactOfPackages,
  registeredReact,
  styleSources,
  writtenFiles,
} from './dev-plugins.ts'

// Closes two gaps in which Vite's file watcher misses a change: before its first scan of the folder is complete, and shortly
// after another change of the same file.

/** Reports the end of the watcher's first scan, for which Vite does not wait. */
class ScannedEnvironment extends DevEnvironment {
  readonly #onScanned: () => void

  constructor(name: string, config: ResolvedConfig, context: DevEnvironmentContext, onScanned: () => void) {
    super(name, config, context)
    this.#onScanned = onScanned
  }

  override async init(options?: { watcher?: FSWatcher; previousInstance?: DevEnvironment }): Promise<void> {
    // Vite calls init before the watcher can have scanned the folder.
    options?.watcher?.once('ready', this.#onScanned)
    await super.init(options)
  }
}

/** Longer than the watcher ignores a file after a change. */
const RECHECK_MS = 100

/** Checks a changed file again: the watcher drops a second change within 5 ms. */
export function recheckFile(watcher: FSWatcher, file: string): void {
  const stampOf = () => {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat && `${stat.mtimeMs} ${stat.size}`
  }
  const seen = stampOf()
  const check = () => {
    const stamp = stampOf()
    if (stamp !== undefined && stamp !== seen) watcher.emit('change', file)
  }
  setTimeout(check, RECHECK_MS).unref()
}

export const ENVIRONMENTS = { browser: 'client', renderer: 'ssr', actions: 'actions' } as const

/**
 * Calls the site's plugins for each environment, as a build calls them for each bundle. `onMiddleware` receives the name of
 * a plugin that adds middlewares to Vite's server, which responds to no request.
 */
export async function devSitePlugins(config: SiteConfig, onMiddleware: (name: string) => void): Promise<Plugin[]> {
  const bundles = Object.entries({
    browser: ENVIRONMENTS.browser,
    server: ENVIRONMENTS.renderer,
    actions: ENVIRONMENTS.actions,
  } as const)
  const lists = bundles.map(async ([bundle, environment]) => {
    // The keys are those of the object above.
    const plugins = await sitePlugins(config, { bundle: bundle as PluginsContext['bundle'], dev: true })
    return plugins.map((plugin) =>
      Object.assign(plugin, {
        applyToEnvironment: bind(plugin.applyToEnvironment, environment),
        ...(plugin.configureServer && { configureServer: watchMiddlewares(plugin, onMiddleware) }),
      }),
    )
  })
  return (await Promise.all(lists)).flat()
}

function watchMiddlewares(
  { name, configureServer }: Plugin,
  onMiddleware: (name: string) => void,
): Plugin['configureServer'] {
  const run = typeof configureServer === 'function' ? configureServer : configureServer?.handler
  return async function (server) {
    const watch = <T>(work: () => T): T => {
      const before = server.middlewares.stack.length
      const result = work()
      if (server.middlewares.stack.length > before) onMiddleware(name)
      return result
    }
    const later = await watch(() => run?.call(this, server))
    // Vite calls it after it has added its own middlewares.
    return later && (() => watch(later))
  }
}

type ApplyToEnvironment = Plugin['applyToEnvironment']

function bind(own: ApplyToEnvironment, name: string): NonNullable<ApplyToEnvironment> {
  return (environment) => environment.name === name && (own?.(environment) ?? true)
}

/**
 * Replaces the switches of the runtime in browsers' modules. Vite's `define` would only set a global variable there, which
 * modules that run before Vite's client do not have.
 */
function switches(sources: BundleSources): Plugin {
  const values = Object.entries(switchesOf(sources))
  return {
    name: 'portico:switches',
    applyToEnvironment: ({ config: { consumer } }) => consumer === 'client',
    transform: {
      filter: { code: 'process.env.PORTICO_' },
      handler(code) {
        // The replacement has the same length: columns of source maps remain.
        const replace = (text: string, [name, value]: [string, string]) =>
          text.replaceAll(name, value.padEnd(name.length))
        return { code: values.reduce(replace, code), map: null }
      },
    },
  }
}

interface ViteConfigOptions {
  sources: () => BundleSources
  images: DevImages
  channel: { transport: HotChannel }
  /** Called when the watcher has scanned the folder and reports every later change. */
  onScanned: () => void
  /** The site's own plugins, each bound to its environment. */
  ownPlugins: Plugin[]
  /** Notes the addresses in the text of every module. */
  addresses: Plugin
}

export function viteConfig({
  sources,
  images,
  channel,
  onScanned,
  ownPlugins,
  addresses,
}: ViteConfigOptions): InlineConfig {
  const { folder, config, next } = sources()
  const serverSide: EnvironmentOptions = {
    consumer: 'server',
    resolve: { noExternal: true },
    define: next.serverDefines,
  }
  return {
    ...commonConfig(sources()),
    base: devBase(config.basePath),
    mode: 'development',
    appType: 'custom',
    cacheDir: join(folder.dir, '.portico', 'vite'),
    plugins: [
      writtenFiles(folder.dir),
      devModules(),
      styleSources(),
      switches(sources()),
      moduleRules(folder.dir, sources),
      ...porticoPlugins(folder.dir, sources, images),
      react({ exclude: /\/node_modules\// }),
      registeredReact(),
      ...ownPlugins,
      addresses,
    ],
    optimizeDeps: {
      entries: [],
      exclude: ['portico', 'portico/server', 'portico/config'],
      rolldownOptions: {
        transform: packageTransform(sources()),
        plugins: [
          nodeGlobals(() => next),
          reactOfPackages(),
          stubsOfPackages(config),
          ...(adapterOf(next)?.vite.ofPackages(next) ?? []),
        ],
      },
    },
    environments: {
      [ENVIRONMENTS.browser]: {
        dev: {
          createEnvironment(name: string, resolved: ResolvedConfig) {
            return new ScannedEnvironment(name, resolved, { hot: true, transport: channel.transport }, onScanned)
          },
        },
      },
      [ENVIRONMENTS.renderer]: serverSide,
      [ENVIRONMENTS.actions]: {
        ...serverSide,
        dev: {
          createEnvironment: (name: string, resolved: ResolvedConfig) =>
            new DevEnvironment(name, resolved, { hot: false, transport: { skipFsCheck: true } }),
        },
      },
    },
    server: serverOptions(folder.dir),
  }
}

/** As in builds, where Vite adds the environment: an object without values. */
function packageTransform(sources: BundleSources): ReturnType<typeof globalsOf> {
  const { define, ...others } = globalsOf(sources.next)
  const environments = ['process.env', 'global.process.env', 'globalThis.process.env']
  return {
    ...others,
    define: {
      ...define,
      ...Object.fromEntries(
        environments.flatMap((name) => [
          [name, '{}'],
          [`${name}.NODE_ENV`, '"development"'],
        ]),
      ),
      ...adapterOf(sources.next)?.vite.options(sources).define,
    },
  }
}

function serverOptions(appDir: string): ServerOptions {
  return {
    middlewareMode: true,
    // The renderer checks host and origin before Vite receives a request (V3).
    allowedHosts: true,
    cors: false,
    ws: false,
    hmr: { overlay: false },
    watch: {
      ignored: [...['dist', '.portico', DATA_FOLDER].map((name) => join(appDir, name, '**')), join(appDir, TYPES_FILE)],
    },
    // SECURITY: as text or address Vite reads no file outside the app folder, the framework and the packages that pages
    // import (V3).
    fs: {
      strict: true,
      allow: [appDir, ...SHARED_FOLDERS, frameworkPackages(), dirname(viteClient())],
      deny: [...NEVER_SENT_NAMES, '**/.git/**', `**/${DATA_FOLDER}/**`],
    },
    preTransformRequests: true,
  }
}

function viteClient(): string {
  return createRequire(import.meta.url)
    .resolve('vite/package.json')
    .replace('package.json', 'dist/client/client.mjs')
}

/** The node_modules folder of React and the framework's other packages. */
function frameworkPackages(): string {
  const react = createRequire(RUNTIME_FILES.index).resolve('react/package.json')
  return join(dirname(react), '..')
}
