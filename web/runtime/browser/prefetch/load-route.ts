// Loads what a route needs besides data: manifest, module, stylesheets, each with its time limit (N5, N7).

import type { BrowserManifest } from '@portico/shared/wire/build-output.ts'
import { HEADERS, ROUTE_LOAD_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import { manifestUrl } from '@portico/shared/wire/routing/urls.ts'
import type { PageComponent, RoutePage } from '../boot/view.ts'
import { fileAddress } from './file-address.ts'
import { loadStylesheet } from './stylesheets.ts'

/** Why a route cannot be loaded: the reason of the router's `failed` event. */
export class RouteLoadError extends Error {
  override name = 'RouteLoadError'
  readonly reason: string
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause })
    this.reason = reason
  }
}

export interface RouteLoader {
  manifest(): Promise<BrowserManifest>
  /** Module and stylesheets; rejects with RouteLoadError. */
  load(files: RouteFiles): Promise<RoutePage>
  /** The page, when its module has run and its stylesheets have been loaded. */
  ready(files: RouteFiles): RoutePage | undefined
  /** Fetches code and stylesheets ahead of need; failures are silent. With `intent` the module runs too. */
  prefetch(files: RouteFiles, intent: boolean): void
}

export function createRouteLoader({ basePath, buildId }: { basePath: string; buildId: string }): RouteLoader {
  let manifest: Promise<BrowserManifest> | undefined
  const hinted = new Set<string>()
  /** Addresses of stylesheets that have been loaded. */
  const arrived = new Set<string>()
  const pages = new Map<string, PageComponent>()

  const importPage = async (name: string): Promise<PageComponent> => {
    try {
      const module = (await import(/* @vite-ignore */ fileAddress(name))) as { default: PageComponent }
      pages.set(name, module.default)
      return module.default
    } catch (error) {
      throw new RouteLoadError('code', error)
    }
  }

  const loadSheet = async (href: string): Promise<void> => {
    try {
      await loadStylesheet(href, false)
      arrived.add(href)
    } catch (error) {
      throw new RouteLoadError('stylesheet', error)
    }
  }

  const hrefOf = fileAddress

  return {
    manifest() {
      manifest ??= within(ROUTE_LOAD_TIMEOUT_MS, 'manifest-late', fetchManifest(basePath, buildId)).catch(
        (error: unknown) => {
          manifest = undefined
          throw error
        },
      )
      return manifest
    },
    async load(files) {
      const styles = files.styles.map(hrefOf)
      const [Page] = await Promise.all([
        within(ROUTE_LOAD_TIMEOUT_MS, 'code-late', importPage(files.module)),
        ...styles.map(loadSheet),
      ])
      return { Page, styles }
    },
    ready({ module, styles: names }) {
      const Page = pages.get(module)
      const styles = names.map(hrefOf)
      return Page && styles.every((href) => arrived.has(href)) ? { Page, styles } : undefined
    },
    prefetch({ module, imports, styles }, intent) {
      for (const name of [module, ...imports]) hint(fileAddress(name), hinted)
      for (const href of styles.map(hrefOf)) loadSheet(href).catch(() => {})
      if (intent) importPage(module).catch(() => {})
    },
  }
}

async function fetchManifest(basePath: string, buildId: string): Promise<BrowserManifest> {
  try {
    const response = await fetch(manifestUrl(basePath, buildId))
    if (!response.ok) throw new RouteLoadError('manifest-status')
    if (response.headers.get(HEADERS.build) !== null && response.headers.get(HEADERS.build) !== buildId)
      throw new RouteLoadError('foreign-build')
    // The build that made this script made the manifest of the same id.
    const manifest = (await response.json()) as BrowserManifest
    if (manifest.buildId !== buildId) throw new RouteLoadError('foreign-build')
    return manifest
  } catch (error) {
    throw error instanceof RouteLoadError ? error : new RouteLoadError('manifest', error)
  }
}

/** Fetches and parses a module, and does not run it. */
function hint(href: string, done: Set<string>): void {
  if (done.has(href)) return
  done.add(href)
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  link.href = href
  document.head.append(link)
}

function within<T>(milliseconds: number, reason: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RouteLoadError(reason)), milliseconds)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
