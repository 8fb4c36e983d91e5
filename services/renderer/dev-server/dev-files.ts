// What the renderer answers under development besides pages: modules and styles through Vite, imported pictures, the
// router's manifest.

import { createReadStream } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DevBuild } from '../../../web/build/dev/dev-build.ts'
import { browserManifestOf } from '../../../web/build/manifest/manifest.ts'
import { sendError } from '../../shared/node/error-response.ts'
import { sendJson } from '../../shared/node/inner-port.ts'
import type { Manifest } from '../../shared/wire/build-output.ts'
import { HEADERS } from '../../shared/wire/constants.ts'
import { devSocketPath } from '../../shared/wire/dev-wire.ts'
import { manifestUrl, prefixOf, splitTarget } from '../../shared/wire/urls.ts'

/** Answers the request, or tells that it is for a page. */
export function answerDevFile(
  build: DevBuild,
  manifest: Manifest,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { pathname } = splitTarget(request.url ?? '/')
  const { basePath, buildId } = manifest
  const prefix = prefixOf(basePath)
  if (pathname.startsWith(`${devSocketPath(basePath)}/`)) {
    serveModule(build, basePath, request, response)
    return true
  }
  if (pathname.startsWith(`${prefix}/static/`)) {
    servePicture(build, pathname.slice(`${prefix}/static/`.length), response)
    return true
  }
  if (!pathname.startsWith(`${prefix}/manifest/`)) return false
  response.setHeader(HEADERS.build, buildId)
  if (pathname === manifestUrl(basePath, buildId)) sendJson(response, 200, browserManifestOf(manifest))
  else sendError(response, 'data', { status: 404 })
  return true
}

/** SECURITY: Vite's own way to start an editor takes any file of the machine; ours takes those of the app folder. */
const OPENS_EDITOR = /^\/__open-in-editor/i
/** SECURITY: what leads out of a folder, in any spelling, is refused before anything decodes it (V3). */
const CLIMBS = /(^|\/|\\|%2f|%5c)(\.|%2e){2}(\/|\\|%2f|%5c|$|\?)|%00|%25/i

function serveModule(build: DevBuild, basePath: string, request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return void sendError(response, 'file', { status: 405, headers: { allow: 'GET, HEAD' } })
  const { pathname } = splitTarget(request.url ?? '/')
  if (CLIMBS.test(pathname) || OPENS_EDITOR.test(pathname.slice(devSocketPath(basePath).length)))
    return void sendError(response, 'file', { status: 404 })
  const style = build.vite().readStyle(request.url ?? '/')
  if (style) return void sendStyle(style, response)
  build.vite().serve(request, response, (error) => sendError(response, 'file', { status: error ? 500 : 404 }))
}

async function sendStyle(style: Promise<string>, response: ServerResponse): Promise<void> {
  try {
    const text = await style
    response.writeHead(200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-store' })
    response.end(text)
  } catch {
    // The module of the same stylesheet reports what is wrong with it.
    sendError(response, 'file', { status: 404 })
  }
}

function servePicture(build: DevBuild, name: string, response: ServerResponse): void {
  const found = build.images.find(name)
  if (!found) return void sendError(response, 'file', { status: 404 })
  const { file, type } = found
  const stream = createReadStream(file)
  stream.on('open', () => {
    // The name may stand for a recipe, whose picture is drawn anew.
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' })
    stream.pipe(response)
  })
  stream.on('error', () => {
    if (response.headersSent) response.destroy()
    else sendError(response, 'file', { status: 404 })
  })
  response.on('close', () => stream.destroy())
}
