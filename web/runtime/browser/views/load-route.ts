// Loads what a route needs besides data: manifest, module, stylesheets, each with its time limit (N5, N7).

import type { BrowserManifest } from '@portico/shared/wire/build-output.ts'
import { HEADERS, ROUTE_LOAD_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import { manifestUrl } from '@portico/shared/wire/routing/urls.ts'
import { fileAddress } from '../stylesheets.ts'
import type { PageComponent, RoutePage } from '../view.ts'
import { loadStyles, stylesOf } from './page-styles.ts'

/** Why a route cannot be loaded: the reason of the router's `failed` event. */
export class RouteLoadError extends Error {
  override name = 'RouteLoadError'
  readonly reason: string
  constructor(reason: string, cause?: unknown) {
    super(`Failed to load the page (${reason})`, { cause })
    this.reason = reason
  }
}

export interface RouteLoader {
  /** `low`: nothing waits for it yet (P1). */
  manifest(priority?: RequestPriority): Promise<BrowserManifest>
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
  /** The stylesheets that have been loaded, by the module of their page. */
  const arrived = new Map<string, readonly string[]>()
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

  const loadSheets = async (files: RouteFiles): Promise<readonly string[]> => {
    try {
      const styles = stylesOf(files)
      await loadStyles(styles)
      arrived.set(files.module, styles)
      return styles
    } catch (error) {
      throw new RouteLoadError('stylesheet', error)
    }
  }

  return {
    manifest(priority) {
      manifest ??= within(ROUTE_LOAD_TIMEOUT_MS, 'manifest-late', fetchManifest(basePath, buildId, priority)).catch(
        (error: unknown) => {
          manifest = undefined
          throw error
        },
      )
      return manifest
    },
    async load(files) {
      const [Page, styles] = await Promise.all([
        within(ROUTE_LOAD_TIMEOUT_MS, 'code-late', importPage(files.module)),
        loadSheets(files),
      ])
      return { Page, styles }
    },
    ready({ module }) {
      const Page = pages.get(module)
      const styles = arrived.get(module)
      return Page && styles && { Page, styles }
    },
    prefetch(files, intent) {
      const { module, imports } = files
      for (const name of [module, ...imports]) hint(fileAddress(name), intent ? 'auto' : 'low', hinted)
      loadSheets(files).catch(() => {})
      if (intent) importPage(module).catch(() => {})
    },
  }
}

async function fetchManifest(
  basePath: string,
  buildId: string,
  priority: RequestPriority = 'auto',
): Promise<BrowserManifest> {
  try {
    const response = await fetch(manifestUrl(basePath, buildId), { priority })
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
function hint(href: string, priority: RequestPriority, done: Set<string>): void {
  if (done.has(href)) return
  done.add(href)
  const link = document.createElement('link')
  link.rel = 'modulepreload'
  // The files of the shown page come first (P1).
  link.fetchPriority = priority
  link.href = href
  document.head.append(link)
}

function within<T>(milliseconds: number, reason: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RouteLoadError(reason)), milliseconds)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
