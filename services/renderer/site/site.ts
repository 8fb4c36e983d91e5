// The site that a renderer serves: a state of the site's code, from a build or, under development, from sources that change,
// and what serves the state. A built site loads its modules once, before the first request: what cannot be loaded rejects
// with a ModuleFault for each request that needs it (O4), which is one page, middleware, or, where `_app` or `_document`
// fails, every page. The sources are left to dev/, the ports to open.ts.

import {
  type AppBuild,
  completeEnvironment,
  enterAppFolder,
  loadAppBuild,
  loadServerBundle,
} from '@portico/shared/kit/config/app-build.ts'
import { provideEnv, readSiteEnvironment } from '@portico/shared/kit/config/site-environment.ts'
import type { CookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import type { AfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import type { InnerPort } from '@portico/shared/kit/life/inner-port.ts'
import type { Listener } from '@portico/shared/kit/life/listeners.ts'
import type { Opened } from '@portico/shared/kit/life/serve.ts'
import { createSiteModules, readinessFaults, type SiteModules } from '@portico/shared/kit/life/site-modules.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { startInstrumentation } from '@portico/shared/kit/observe/site/instrumentation.ts'
import type { MapStack } from '@portico/shared/kit/observe/site/map-stacks.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { PageModule, ServerBundle } from '@portico/shared/wire/bundles.ts'
import type { PublicValues } from '@portico/shared/wire/page-data.ts'
import type { RendererAppDeps } from '../app.ts'
import type { RendererConfig } from '../config.ts'
import type { RenderDeps } from '../context/context.ts'
import type { PageRenderer } from '../pages/pages.ts'
import type { LiveBuilds } from './live-builds.ts'

type OfSite = 'bundle' | 'publicEnv' | 'onRequestError' | 'dataTimeoutMs' | 'middlewareLimitMs' | 'renderTimeoutMs'

/** The site as it is: of a build, or of the sources between two changes. */
export interface SiteState
  extends AppBuild,
    Pick<RenderDeps, OfSite>,
    Partial<Pick<RendererAppDeps, 'isCrawler' | 'failureDocument'>> {}

/** What serves one state of the site. */
export interface ServedState {
  pages: PageRenderer
  listener: Pick<Listener, 'handler' | 'onUpgrade'>
  inner: Pick<InnerPort, 'routes' | 'version' | 'faults'>
}

export type ServeState = (state: SiteState) => Promise<ServedState>

/** Without `pages` where the site changes. */
export type ServedSite = Omit<ServedState, 'pages'> &
  Partial<Pick<ServedState, 'pages'>> &
  Pick<Opened, 'warm' | 'onReady' | 'onDrain'>

/** A site between its code and the ports of the service. */
export interface OpenedSite {
  buildId: string
  /** The log of code of the site. */
  log: Log
  open(serve: ServeState, shared: { cookieSeals: CookieSeals; after: AfterTasks }): Promise<ServedSite>
  close?: () => Promise<void>
}

/** A site that does not change. */
export function siteOf(state: SiteState, log: Log) {
  return { buildId: state.manifest.buildId, log, open: (serve: ServeState) => serve(state) }
}

/** Loads a build, of whose site this process has the code. */
export async function openBuiltSite(config: RendererConfig, log: Log, mapStack: MapStack): Promise<OpenedSite> {
  const build = await loadAppBuild(config.appDir)
  enterAppFolder(config)
  const { manifest } = build
  const { publicEnv, env } = readSiteEnvironment(manifest, config.environment)
  provideEnv(env)
  completeEnvironment(build, log)
  const modules = createSiteModules({ log })
  const { bundle, load } = await openSiteBundle(manifest, () => loadServerBundle(build), modules)
  const onRequestError = await startInstrumentation(bundle.instrumentation, log, mapStack)
  // The module loads the Redis client, which no test of a site needs.
  const { createLiveBuilds, NO_OTHER_BUILDS } = await import('./live-builds.ts')
  const { stateRedisUrl } = config
  const live = stateRedisUrl ? createLiveBuilds(stateRedisUrl, manifest.buildId, log) : NO_OTHER_BUILDS
  const site = siteOf({ ...build, bundle, publicEnv, onRequestError }, log)
  return {
    ...site,
    async open(serve) {
      const { inner, pages, ...served } = await site.open(serve)
      return {
        ...served,
        pages,
        inner: { ...inner, faults: () => readinessFaults(modules.faults()) },
        warm: async () => {
          await load(publicEnv.values)
          await leaveToOthers(modules, live)
        },
        onReady() {
          live.announce()
          // Runs behind the first requests: a page may read data of a service that has not started yet.
          void pages.warm().then((count) => log.info({ event: 'warmed', pages: count }, 'page cache warmed'))
        },
        onDrain: () => live.close(),
      }
    },
    close: async () => live.close(),
  }
}

/**
 * Rejects, so that the service is not ready, while a module cannot be loaded and a ready renderer of another build serves: a
 * rolling deploy stops. Without another one this build is all that there is: what can be loaded is served.
 */
async function leaveToOthers(modules: SiteModules, live: LiveBuilds): Promise<void> {
  const [first, ...more] = modules.faults()
  if (!first) return
  const others = await live.others()
  if (others.length === 0) return
  const rest = more.length > 0 ? `, and ${more.length} more` : ''
  throw new Error(`${first.message}${rest}; not ready while a renderer of the build ${others.join(', ')} is`)
}

interface SiteBundle {
  bundle: ServerBundle
  /** Loads every module and renders the template of documents; resolves also if some cannot be loaded. Repeated calls do nothing. */
  load(publicEnv: PublicValues): Promise<void>
}

/** What the entry of the bundle imports itself. */
const FRAME = 'the frame of all pages (_app, _document)'
const MIDDLEWARE = 'middleware'

/** `loadEntry` imports the entry of the bundle. */
async function openSiteBundle(
  { pages, screens }: Pick<Manifest, 'pages' | 'screens'>,
  loadEntry: () => Promise<ServerBundle>,
  modules: SiteModules,
): Promise<SiteBundle> {
  const entries = [...pages, ...screens]
  let frameFault: unknown
  const built = await modules.load(FRAME, loadEntry).catch((fault: unknown): ServerBundle => {
    frameFault = fault
    return brokenBundle(
      entries.map(({ pattern }) => pattern),
      fault,
    )
  })
  const { middleware } = built
  const loads = new Map<string, Promise<unknown>>()
  /** The same result for every caller, once the module was loaded or has failed. */
  const once = <T>(key: string, file: string, load: () => Promise<T>): Promise<T> => {
    const loaded = loads.get(key) ?? modules.load(file, load)
    loads.set(key, loaded)
    // The cast: each key is loaded by one function.
    return loaded as Promise<T>
  }
  const loadMiddleware = async () => void (await once('middleware', MIDDLEWARE, async () => middleware?.load?.()))
  const ownPages = Object.entries(built.pages).map(([pattern, load]): [string, () => Promise<PageModule>] => {
    const file = entries.find((entry) => entry.pattern === pattern)?.file ?? pattern
    return [pattern, () => (frameFault === undefined ? once(pattern, file, load) : Promise.reject(frameFault))]
  })
  const loadPages = Object.fromEntries(ownPages)
  const { initialProps } = built
  const bundle: ServerBundle = {
    ...built,
    pages: loadPages,
    async render(input) {
      if (frameFault !== undefined) throw frameFault
      // A screen that the app folder lacks has no module.
      await loadPages[input.route]?.()
      return built.render(input)
    },
    ...(initialProps && {
      initialProps: {
        ...initialProps,
        async has(route: string) {
          await loadPages[route]?.()
          return initialProps.has(route)
        },
      },
    }),
    ...(middleware && {
      middleware: Object.assign(
        async (...[input]: Parameters<typeof middleware>) => {
          await loadMiddleware()
          return middleware(input)
        },
        { load: loadMiddleware },
      ),
    }),
  }
  return {
    bundle,
    async load(publicEnv) {
      if (frameFault !== undefined) return
      const prepare = async () => built.prepare(publicEnv)
      await once('frame', FRAME, prepare).catch((fault: unknown) => (frameFault = fault))
      const all = [...Object.values(loadPages), ...(middleware ? [loadMiddleware] : [])]
      // The modules collect and log the faults.
      await Promise.allSettled(all.map((load) => load()))
    },
  }
}

/** A bundle whose entry cannot be loaded. Middleware must not be skipped: the manifest says whether requests are guarded. */
function brokenBundle(patterns: readonly string[], fault: unknown): ServerBundle {
  const fail = () => Promise.reject(fault)
  return {
    pages: Object.fromEntries(patterns.map((pattern) => [pattern, fail])),
    prepare: () => {},
    render: fail,
    middleware: Object.assign(fail, { load: fail }),
    runWithContext: (_context, run) => run(),
  }
}
