// The public listener of the renderer under development: checks the origin, serves files of Vite and pages of the current
// sources, accepts development connections.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { DevBuild } from '@portico/build/dev/dev.ts'
import { ConfigError } from '@portico/shared/kit/config/config.ts'
import { createDevGate } from '@portico/shared/kit/config/dev-origin.ts'
import { errorContentOf, refuseUpgrade, sendError } from '@portico/shared/kit/http/error-response.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import type { Listener } from '@portico/shared/kit/life/listeners.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { type ThrownError, thrownError } from '@portico/shared/wire/dev/dev-inner.ts'
import { devSocketPath } from '@portico/shared/wire/dev/dev-wire.ts'
import { isOwnPath, parseDataPath, splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { LRUCache } from 'lru-cache'
import type { RendererConfig } from '../config.ts'
import { respondDevFile } from './dev-files.ts'
import type { DevHub } from './dev-hub.ts'
import type { DevPages, RequestedPage } from './dev-pages.ts'
import { documentOf } from './failure-document.ts'

interface DevHandlersDeps {
  config: Pick<RendererConfig, 'publicOrigins' | 'siteUrl'>
  build: DevBuild
  hub: Pick<DevHub, 'accept'>
  pages: () => Promise<DevPages>
  /** Receives each requested page by request id. */
  requestedPages: LRUCache<string, RequestedPage>
  report: (thrown: ThrownError) => void
  log: Log
}

export function createDevHandlers(deps: DevHandlersDeps): Required<Pick<Listener, 'handler' | 'onUpgrade'>> {
  const { config, build, hub, pages, requestedPages, report, log } = deps
  // The images service requests imported images by the inner name of the gateway.
  const gate = createDevGate([...config.publicOrigins, config.siteUrl.origin])

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const { manifest, version } = await build.settled()
    const refusal = gate.refuses(request.headers) ?? foreignFile(request, manifest.basePath)
    if (refusal) return void sendError(response, 'file', { code: 'forbidden', message: refusal })
    if (respondDevFile(build, manifest, request, response)) return
    const now = await pages()
    requestedPages.set(requestIdOf(request), { url: pageUrl(request, manifest), version })
    if (now.kind === 'pages') return now.listener.handler(request, response)
    sendFailure({ ...now, version }, request, response)
    // The fault of an unreadable folder was reported when it occurred.
    if ((await build.settled()).fault) return
    log.error({ error: now.error }, 'app folder not served')
    report({ ...thrownError(now.error instanceof ConfigError ? 'config' : 'build', now.error), version })
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

  return {
    handler: (request, response) =>
      void respond(request, response).catch((error: unknown) =>
        sendError(response, 'document', errorContentOf(error, log, request)),
      ),
    onUpgrade: (request, socket, head) =>
      void upgrade(request, socket, head).catch((error: unknown) => {
        log.error({ error }, 'development connection failed')
        socket.destroy()
      }),
  }
}

type Addresses = Pick<Manifest, 'basePath' | 'semantics'>

/** Path of the page whose document or data was requested, basePath included. */
function pageUrl(request: IncomingMessage, { basePath, semantics }: Addresses): string {
  const { pathname } = splitTarget(request.url ?? '/')
  const data = parseDataPath(stripBasePath(pathname, basePath) ?? '', semantics)
  return data ? basePath + data.pathname : pathname
}

function sendFailure(
  { manifest, error, version }: DevPages & { kind: 'failed' } & Pick<RequestedPage, 'version'>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { basePath, buildId, semantics } = manifest
  response.setHeader(HEADERS.build, buildId)
  if (isOwnPath(stripBasePath(splitTarget(request.url ?? '/').pathname, basePath) ?? '', semantics))
    return void sendError(response, 'data', { code: 'internal' })
  const message = error instanceof Error ? error.message : String(error)
  sendError(response, 'document', { code: 'internal', document: documentOf(message, manifest, version) })
}
