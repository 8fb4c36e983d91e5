// The bundle of the site, whose modules are loaded once, before the first request. What cannot be loaded rejects with a
// ModuleFault for each request that needs it (O4): one page, middleware, or, where `_app` or `_document` fails, every page.

import type { SiteModules } from '@portico/shared/kit/life/site-modules.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { PageModule, ServerBundle } from '@portico/shared/wire/bundles.ts'
import type { PublicValues } from '@portico/shared/wire/page-data.ts'

interface SiteBundle {
  bundle: ServerBundle
  /** Loads every module and renders the template of documents; resolves also if some cannot be loaded. Repeated calls do nothing. */
  load(publicEnv: PublicValues): Promise<void>
}

/** What the entry of the bundle imports itself. */
const FRAME = 'the frame of all pages (_app, _document)'
const MIDDLEWARE = 'middleware'

/** `loadEntry` imports the entry of the bundle. */
export async function openSiteBundle(
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
