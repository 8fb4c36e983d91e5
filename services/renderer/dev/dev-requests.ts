// The public listener of the renderer under development: checks the origin, serves modules, styles and imported images through
// Vite, the router's manifest and the order of a page's stylesheets, then pages of the current sources, and accepts
// development connections.

import { createReadStream } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { DevBuild } from '@portico/build/dev/dev.ts'
import { readDocsPage } from '@portico/build/dev/dev.ts'
import { browserManifestOf, mediaTypeOf } from '@portico/build/manifest/manifest.ts'
import { ConfigError } from '@portico/shared/kit/config/config.ts'
import { createDevGate } from '@portico/shared/kit/config/dev-origin.ts'
import { errorContentOf, refuseUpgrade, sendError } from '@portico/shared/kit/http/error-response.ts'
import { requestIdOf } from '@portico/shared/kit/http/request-id.ts'
import { sendJson } from '@portico/shared/kit/life/inner-port.ts'
import type { Listener } from '@portico/shared/kit/life/listeners.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { HEADERS } from '@portico/shared/wire/constants.ts'
import { type ThrownError, thrownError } from '@portico/shared/wire/dev/dev-inner.ts'
import { type DevStyles, devSocketPath, devStylesPath } from '@portico/shared/wire/dev/dev-wire.ts'
import {
  isOwnPath,
  manifestUrl,
  parseDataPath,
  prefixOf,
  splitTarget,
  stripBasePath,
} from '@portico/shared/wire/routing/urls.ts'
import type { LRUCache } from 'lru-cache'
import type { RendererConfig } from '../config.ts'
import type { DevHub } from './dev-hub.ts'
import { type DevPages, documentOf, type RequestedPage } from './dev-pages.ts'

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

/** Responds to the request; false for a request for a page. */
function respondDevFile(
  build: DevBuild,
  manifest: Manifest,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { pathname } = splitTarget(request.url ?? '/')
  const { basePath, buildId } = manifest
  const prefix = prefixOf(basePath)
  const docs = `${devSocketPath(basePath)}/docs`
  // Modules of the site's own folder docs/ have an ending.
  if (pathname.startsWith(`${docs}/`) && !pathname.slice(docs.length + 1).match(/[./]/)) {
    void sendDocs(pathname.slice(docs.length + 1), docs, response)
    return true
  }
  if (pathname === devStylesPath(devSocketPath(basePath))) {
    void sendStyles(build, manifest, request, response)
    return true
  }
  if (pathname.startsWith(`${devSocketPath(basePath)}/`)) {
    void serveModule(build, request, response)
    return true
  }
  if (pathname.startsWith(`${prefix}/static/`)) {
    serveImage(build, pathname.slice(`${prefix}/static/`.length), response)
    return true
  }
  if (!pathname.startsWith(`${prefix}/manifest/`)) return false
  response.setHeader(HEADERS.build, buildId)
  if (pathname === manifestUrl(basePath, buildId)) sendJson(response, 200, browserManifestOf(manifest))
  else sendError(response, 'data', { code: 'not-found' })
  return true
}

/** SECURITY: paths that lead out of a folder, in any spelling, are refused before any code decodes them (V3). */
const CLIMBS = /(^|\/|\\|%2f|%5c)(\.|%2e){2}(\/|\\|%2f|%5c|$|\?)|%00|%25/i

async function serveModule(build: DevBuild, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return sendError(response, 'file', { code: 'method-not-allowed', headers: { allow: 'GET, HEAD' } })
  const url = request.url ?? '/'
  if (CLIMBS.test(splitTarget(url).pathname)) return sendError(response, 'file', { code: 'not-found' })
  const style = build.vite().readStyle(url)
  if (style) return sendStyle(style, response)
  const unsent = await build.vite().serve(request, response)
  if (unsent?.kind === 'file') return sendFile(response, unsent.file, mediaTypeOf(unsent.file))
  const refusal = unsent && REFUSALS[unsent.kind]
  if (refusal) sendError(response, 'file', refusal)
}

const REFUSALS = {
  unnamed: {
    code: 'not-found',
    message: 'no module and no stylesheet of a page names this file: import it, or put it in public/',
  },
  never: {
    code: 'forbidden',
    message: 'environment files, keys, databases and files with a dot in front are sent to no browser',
  },
  missing: { code: 'not-found' },
  failed: { code: 'internal' },
} as const

async function sendDocs(name: string, address: string, response: ServerResponse): Promise<void> {
  const html = await readDocsPage(name, address).catch(() => undefined)
  if (html === undefined) return void sendError(response, 'document', { code: 'not-found' })
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(html)
}

async function sendStyle(style: Promise<string>, response: ServerResponse): Promise<void> {
  try {
    const text = await style
    response.writeHead(200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-store' })
    response.end(text)
  } catch {
    // The module of the same stylesheet reports the error.
    sendError(response, 'file', { code: 'not-found' })
  }
}

async function sendStyles(
  build: DevBuild,
  { pages, screens }: Manifest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const module = new URLSearchParams(splitTarget(request.url ?? '/').search).get('page')
  const page = [...pages, ...screens].find(({ files }) => files.module === module)
  if (!page) return void sendError(response, 'data', { code: 'not-found' })
  try {
    const { appFile } = await build.settled()
    const { importServer, styleIdsOf } = build.vite()
    // The module graph knows a page's stylesheets after its modules were loaded.
    await (await importServer()).pages[page.pattern]?.()
    const styles: DevStyles = {
      app: appFile === undefined ? [] : await styleIdsOf(appFile),
      page: await styleIdsOf(page.file),
    }
    sendJson(response, 200, styles)
  } catch {
    // A module that cannot be loaded: the page and its data report it.
    sendError(response, 'data', { code: 'not-found' })
  }
}

function serveImage(build: DevBuild, name: string, response: ServerResponse): void {
  const found = build.images.find(name)
  if (!found) return void sendError(response, 'file', { code: 'not-found' })
  sendFile(response, found.file, found.type)
}

function sendFile(response: ServerResponse, file: string, type: string): void {
  const stream = createReadStream(file)
  stream.on('open', () => {
    // The name may refer to a generated image, which is drawn again.
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' })
    stream.pipe(response)
  })
  stream.on('error', () => {
    if (response.headersSent) response.destroy()
    else sendError(response, 'file', { code: 'not-found' })
  })
  response.on('close', () => stream.destroy())
}
