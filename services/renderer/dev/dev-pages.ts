// The pages of the current sources: a page renderer for each state, created for the first request after a change. Where no
// page can be rendered, after a fault in the folder, in `_app` and what it renders, or in the framework's entry, there is a
// document that connects, shows the error, and reloads when the error is fixed.

import type { DevBuild, DevState } from '@portico/build/dev/dev.ts'
import { DEV_CLIENT, devModuleUrl } from '@portico/build/dev/dev.ts'
import { provideEnv, readSiteEnvironment } from '@portico/shared/kit/config/site-environment.ts'
import { escapeHtml } from '@portico/shared/kit/http/error-response.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { type ReportRequestError, startInstrumentation } from '@portico/shared/kit/observe/site/instrumentation.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { ServerBundle } from '@portico/shared/wire/bundles.ts'
import { PAGE_DATA_ELEMENT_ID } from '@portico/shared/wire/constants.ts'
import { errorTitle } from '@portico/shared/wire/errors/error-titles.ts'
import type { LRUCache } from 'lru-cache'
import type { ServedState, ServeState } from '../site/site.ts'
import { createDevBundle, type DevBundleDeps } from './dev-bundle.ts'

export type DevPages =
  | (ServedState & {
      kind: 'pages'
      manifest: Manifest
      /** Loads the modules of the home page; rejects when they cannot be loaded. */
      warm: () => Promise<unknown>
    })
  /** No page can be rendered until the folder changes. */
  | { kind: 'failed'; manifest: Manifest; error: unknown }

/** What an error of a request is about. */
export interface RequestedPage {
  /** Path of the page, basePath included. */
  url: string
  /** Version of the sources when the request began. */
  version: number
  /** Message of the first error. */
  message?: string
}

interface DevPagesDeps extends Pick<DevBundleDeps, 'appDir' | 'setWarnings'> {
  build: DevBuild
  environment: Readonly<Record<string, string | undefined>>
  log: Log
  requestedPages: LRUCache<string, RequestedPage>
  serve: ServeState
}

/** Returns the renderer for the next request. Never rejects. */
export function createDevPages(deps: DevPagesDeps): () => Promise<DevPages> {
  const { build } = deps
  let made: { version: number; manifest: Manifest; pages: Promise<DevPages> } | undefined
  /** Once for a process: what `register` has set up remains. */
  let registered: Promise<ReportRequestError | undefined> | undefined
  const register = (bundle: ServerBundle) => {
    registered ??= startInstrumentation(bundle.instrumentation, deps.log).catch((error: unknown) => {
      registered = undefined
      throw error
    })
    return registered
  }
  return async () => {
    const state = await build.settled()
    const { version, manifest } = state
    // New public files, and other files that no page shows, are no other version.
    if (made?.version !== version || made.manifest !== manifest)
      made = { version, manifest, pages: makePages(deps, state, register) }
    const { pages } = made
    const current = await pages
    // The next request tries again what did not load; a folder that cannot be read waits for a change.
    if (current.kind === 'failed' && !state.fault && made?.pages === pages) made = undefined
    return current
  }
}

/** V4: the first render of a page waits until its modules are compiled. */
const RENDER_TIMEOUT_MS = 300_000

type Register = (bundle: ServerBundle) => ReturnType<typeof startInstrumentation>

async function makePages(
  deps: DevPagesDeps,
  { version, manifest, fault, appFile }: DevState,
  register: Register,
): Promise<DevPages> {
  if (fault) return { kind: 'failed', manifest, error: fault }
  const { appDir, build, environment, log, setWarnings, requestedPages } = deps
  try {
    const { publicEnv, env } = readSiteEnvironment(manifest, environment)
    provideEnv(env)
    const bundle = createDevBundle(await build.vite().importServer(), {
      appDir,
      manifest,
      appFile,
      version,
      stylesOf: (file) => build.vite().stylesOf(file),
      showPage: (files) => build.vite().showPage(files),
      setWarnings,
      say: (line) => log.info(line),
      now: () => performance.now(),
    })
    const onRequestError = await register(bundle)
    bundle.prepare(publicEnv.values)
    const served = await deps.serve({
      dir: appDir,
      manifest,
      bundle,
      publicEnv,
      onRequestError,
      renderTimeoutMs: RENDER_TIMEOUT_MS,
      // An author looks at what streams (W12).
      isCrawler: () => false,
      failureDocument(requestId) {
        const requested = requestedPages.get(requestId)
        return documentOf(requested?.message ?? '', manifest, requested?.version ?? version, requestId)
      },
    })
    return { kind: 'pages', manifest, ...served, warm: async () => bundle.pages['/']?.() }
  } catch (error) {
    return { kind: 'failed', manifest, error }
  }
}

/** `version` is that of the sources; `requestId` that of the request whose error the document shows. */
export function documentOf(message: string, manifest: Manifest, version: number, requestId?: string): string {
  const { basePath, buildId } = manifest
  const failed = { basePath, buildId, route: '/_error', status: 500, sourceVersion: version, requestId }
  const data = JSON.stringify(failed).replaceAll('<', '\\u003c')
  const title = `500: ${errorTitle(500)}`
  return `<!DOCTYPE html>
<html lang="en" data-portico-dev="failed">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body><div id="portico"><h1>${title}</h1><pre>${escapeHtml(message)}</pre></div>
<script type="application/json" id="${PAGE_DATA_ELEMENT_ID}">${data}</script>
<script type="module" src="${devModuleUrl(basePath, DEV_CLIENT)}"></script></body>
</html>
`
}
