// The renderer under development (V1): Vite in this process, pages of the current sources, the development connection.
// main.ts loads this file only in development mode; production images do not contain it.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { createDevBuild, type DevChange, type DevState } from '@portico/build/dev/dev-build.ts'
import { DEV_CLIENT, devModuleUrl } from '@portico/build/dev/vite/dev-urls.ts'
import { createDevGate } from '@portico/shared/kit/config/dev-origin.ts'
import { loadSecret } from '@portico/shared/kit/config/secrets.ts'
import { shareReact } from '@portico/shared/kit/config/share-react.ts'
import { errorContentOf, refuseUpgrade, sendError } from '@portico/shared/kit/http/error-response.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { watchErrors } from '@portico/shared/kit/observe/watch-errors.ts'
import { createBoundArgs } from '@portico/shared/kit/store/bound-args.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { type ThrownError, thrownError } from '@portico/shared/wire/dev/dev-inner.ts'
import { devSocketPath } from '@portico/shared/wire/dev/dev-wire.ts'
import { parseDataPath, prefixOf, splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { LRUCache } from 'lru-cache'
import { createRendererApp } from '../app.ts'
import type { RendererConfig } from '../config.ts'
import { createDevErrorReader } from './dev-errors.ts'
import { respondDevFile } from './dev-files.ts'
import { createDevHub, type DevHub } from './dev-hub.ts'
import { createDevInnerRoutes } from './dev-inner-routes.ts'
import { createDevPages, createNoPageCache, type DevPages } from './dev-pages.ts'
import { failureDocument } from './failure-document.ts'
import { writeManifestFile } from './manifest-file.ts'
import { createEditorOpener } from './open-in-editor.ts'

/** Requests whose paths are kept for their errors. */
const MAX_REQUESTED = 500

export async function startDevServer(config: RendererConfig, log: Log): Promise<Service> {
  // Tailwind, Babel and browserslist look for files from the working directory.
  process.chdir(config.appDir)
  const reader = createDevErrorReader(config.appDir)
  const report = (thrown: ThrownError) =>
    void reader
      .read(thrown)
      .then((error) => hub.report(error))
      .catch((error: unknown) => log.warn({ error }, 'error not shown'))
  const build = await createDevBuild({
    appDir: config.appDir,
    onChange: async (change, state) => {
      if (!state.fault) await writeManifestFile(config.appDir, state.manifest)
      notifyBrowsers(hub, change, state, report)
      await clearFixedModules(hub, (file) => build.vite().check(file))
    },
  })
  shareReact(build.actionsEntry)
  const hub = createDevHub({
    channel: () => build.vite().channel,
    open: createEditorOpener({ appDir: config.appDir, editor: config.editor, say: (text) => log.warn(text) }),
  })
  build.onModuleError((error) => report(thrownError('build', error)))
  const first = await build.settled()
  if (first.fault) report(thrownError('config', first.fault))
  await writeManifestFile(config.appDir, first.manifest)

  const keys = config.actionKeys.length > 0 ? config.actionKeys : [await loadSecret('action-key', config)]
  const cache = createNoPageCache()
  /** Paths by request id: an error belongs to the requested page. */
  const requestedUrls = new LRUCache<string, string>({ max: MAX_REQUESTED })
  const pages = createDevPages({
    build,
    cache,
    environment: config.environment,
    signBound: createBoundArgs(keys).sign,
    actionsUrl: config.actionsUrl.origin,
    siteUrl: config.siteUrl.origin,
    log: watchErrors(log, (error, { digest, requestId }) => {
      const url = requestedUrls.get(requestId ?? '')
      report({ ...thrownError('render', error, digest), ...(url !== undefined && { url }) })
    }),
    now: () => performance.now(),
    warn: (text, file) => hub.warn({ text, file }),
  })
  // The images service requests imported images by the inner name of the gateway.
  const gate = createDevGate([...config.publicOrigins, config.siteUrl.origin])
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { manifest } = await build.settled()
    const refusal = gate.refuses(request.headers) ?? foreignFile(request, manifest.basePath)
    if (refusal) return void sendError(response, 'file', { code: 'forbidden', message: refusal })
    if (respondDevFile(build, manifest, request, response)) return
    const now = await pages()
    requestedUrls.set(requestIdOf(request), pageUrl(request, manifest.basePath))
    if (now.kind === 'pages') return createRendererApp({ ...now, log })(request, response)
    sendFailure(now, request, response)
    // The fault of an unreadable folder was reported when it occurred.
    if ((await build.settled()).fault) return
    log.error({ error: now.error }, 'app folder not served')
    report(thrownError('build', now.error))
  }
  const foreignFile = (request: IncomingMessage, basePath: string) =>
    splitTarget(request.url ?? '/').pathname.startsWith(`${devSocketPath(basePath)}/`)
      ? gate.refusesForeign(request.headers)
      : undefined
  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { manifest } = await build.settled()
    const { pathname } = splitTarget(request.url ?? '/')
    if (pathname !== devSocketPath(manifest.basePath)) return refuseUpgrade(socket, 'not-found')
    if (gate.refusesForeign(request.headers, true)) return refuseUpgrade(socket, 'forbidden')
    hub.accept(request, socket, head)
  }
  /** Loads the page that is requested first, then the modules that browsers load first: one process compiles both. */
  let warming = Promise.resolve()
  const warm = async () => {
    const now = await pages()
    // The first request for the page reports the error.
    if (now.kind === 'pages') await now.warm().catch(() => {})
    build.vite().warmBrowser()
  }

  const { host, port, innerHost } = config
  return startService({
    log,
    listeners: [
      {
        name: 'public',
        host,
        port,
        handler: (request, response) =>
          void respond(request, response).catch((error: unknown) =>
            sendError(response, 'document', errorContentOf(error, log, request)),
          ),
        onUpgrade: (request, socket, head) =>
          void upgrade(request, socket, head).catch((error: unknown) => {
            log.error({ error }, 'development connection failed')
            socket.destroy()
          }),
      },
    ],
    inner: {
      host: innerHost,
      port: config.innerPort,
      token: config.stackToken ?? (await loadSecret('stack-token', config)),
      routes: createDevInnerRoutes({ build, cache, pages, report, warmed: () => warming }),
      metrics: createMetrics('renderer'),
    },
    // Not awaited: requests that arrive before its end share its work.
    warm: async () => {
      warming = warm()
    },
    close: async () => {
      hub.close()
      await build.close()
    },
    maxConnections: config.maxConnections,
    drain: { delayMs: 0, deadlineMs: config.drainDeadlineMs },
  })
}

/** Path of the page whose document or data was requested, basePath included. */
function pageUrl(request: IncomingMessage, basePath: string): string {
  const { pathname } = splitTarget(request.url ?? '/')
  const prefix = prefixOf(basePath)
  const data = pathname.startsWith(prefix) ? parseDataPath(pathname.slice(prefix.length)) : undefined
  return data ? basePath + data.pathname : pathname
}

/** Changed code clears the errors of its predecessor; the next request reports an error again if it still occurs. */
function notifyBrowsers(hub: DevHub, change: DevChange, state: DevState, report: (thrown: ThrownError) => void): void {
  hub.noteVersion(state.version)
  if (state.fault) return void report(thrownError('config', state.fault))
  for (const source of ['config', 'render', 'data', 'action', 'api'] as const) hub.clear(source)
  const { buildId } = state.manifest
  if (change.isOtherManifest) hub.send({ kind: 'routes', buildId, gone: change.gone })
  if (change.isServerSide) hub.send({ kind: 'changed' })
}

/** Clears the errors of modules that can be read again. */
async function clearFixedModules(hub: DevHub, check: (file: string) => Promise<boolean>): Promise<void> {
  for (const { file } of hub.errorsOf('build')) if (file === undefined || (await check(file))) hub.clear('build', file)
}

function sendFailure(
  { manifest, error }: DevPages & { kind: 'failed' },
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { basePath, buildId } = manifest
  response.setHeader(HEADERS.build, buildId)
  if ((request.url ?? '/').startsWith(`${prefixOf(basePath)}/`))
    return void sendError(response, 'data', { code: 'internal' })
  const message = error instanceof Error ? error.message : String(error)
  const document = failureDocument(message, manifest, devModuleUrl(basePath, DEV_CLIENT))
  sendError(response, 'document', { code: 'internal', document })
}
