// Loads what a route needs besides data: manifest, module, stylesheets, each with its time limit (N5, N7).

import type { BrowserManifest } from '../../../services/shared/wire/build-output.ts'
import { HEADERS, ROUTE_LOAD_TIMEOUT_MS, STYLESHEET_TIMEOUT_MS } from '../../../services/shared/wire/constants.ts'
import type { RouteFiles } from '../../../services/shared/wire/page-data.ts'
import { manifestUrl, staticUrl } from '../../../services/shared/wire/urls.ts'
import type { PageComponent } from './view.ts'

/** Why a route could not be had; the machine's `failed` reason. */
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
  load(files: RouteFiles): Promise<PageComponent>
  /** Fetches code ahead of need, at low priority; failures are silent. */
  prefetch(files: RouteFiles): void
}

export function createRouteLoader({ basePath, buildId }: { basePath: string; buildId: string }): RouteLoader {
  let manifest: Promise<BrowserManifest> | undefined
  const sheets = new Map<string, Promise<void>>()
  const prefetched = new Set<string>()
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[data-portico]'))
    sheets.set(link.href, Promise.resolve())

  const loadSheet = (name: string): Promise<void> => {
    const href = new URL(staticUrl(basePath, name), location.href).href
    const known = sheets.get(href)
    if (known) return known
    const sheet = attachSheet(href).catch((error: unknown) => {
      sheets.delete(href)
      throw error
    })
    sheets.set(href, sheet)
    return sheet
  }

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
      const [page] = await Promise.all([
        within(ROUTE_LOAD_TIMEOUT_MS, 'code-late', importPage(staticUrl(basePath, files.module))),
        ...files.styles.map(loadSheet),
      ])
      return page
    },
    prefetch(files) {
      for (const name of [files.module, ...files.imports]) hint('modulepreload', staticUrl(basePath, name), prefetched)
      for (const name of files.styles) {
        const href = new URL(staticUrl(basePath, name), location.href).href
        if (!sheets.has(href)) hint('prefetch', href, prefetched)
      }
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

async function importPage(url: string): Promise<PageComponent> {
  try {
    const module = (await import(/* @vite-ignore */ url)) as { default: PageComponent }
    return module.default
  } catch (error) {
    throw new RouteLoadError('code', error)
  }
}

/** Appends the sheet and waits until it applies, 60 s at most. Its `error` event fails at once. */
function attachSheet(href: string): Promise<void> {
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = href
  link.dataset.portico = ''
  const loaded = new Promise<void>((resolve, reject) => {
    link.onload = () => resolve()
    link.onerror = () => {
      link.remove()
      reject(new RouteLoadError('stylesheet'))
    }
  })
  document.head.append(link)
  return within(STYLESHEET_TIMEOUT_MS, 'stylesheet-late', loaded)
}

function hint(rel: string, href: string, done: Set<string>): void {
  if (done.has(href)) return
  done.add(href)
  const link = document.createElement('link')
  link.rel = rel
  link.href = href
  document.head.append(link)
}

function within<T>(milliseconds: number, reason: string, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RouteLoadError(reason)), milliseconds)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
