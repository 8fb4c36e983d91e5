// The last step: passes the request to the service or the part of the gateway that its route names.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import { isClientGone } from '@portico/shared/kit/http/client-gone.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { Caching } from '@portico/shared/wire/caching.ts'
import { LONGEST_CACHE_SECONDS, PREFIX_SEGMENT } from '@portico/shared/wire/constants.ts'
import { takesBody } from '@portico/shared/wire/routing/page-methods.ts'
import { publicKey } from '@portico/shared/wire/routing/public-key.ts'
import { matchRoute, prepareRoutes } from '@portico/shared/wire/routing/routes.ts'
import { isApiPath, splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import type { PageResponder } from '../cache/respond-page.ts'
import { loadBrowserManifests } from '../files/browser-manifests.ts'
import { type BuildFiles, createBuildFiles } from '../files/build-files.ts'
import { findImageSizes } from '../files/image-sizes.ts'
import type { FindKeptPublic } from '../files/kept-public.ts'
import { isFileName, type OldBuilds } from '../files/old-builds.ts'
import type { ServiceProxy } from '../proxy/proxy.ts'
import { type Route, refusedMethod } from '../routes.ts'
import type { ErrorSender } from '../send/error.ts'
import { createFileSender } from '../send/file.ts'
import type { HeadWriter } from '../send/head.ts'
import { type Exchange, exchangeOf } from './exchange.ts'
import type { RouteResolver } from './resolve-route.ts'

interface DispatcherDeps {
  manifest: Manifest
  /** The build whose hashed files are on the disk. */
  own: AppBuild
  proxy: ServiceProxy
  resolveRoute: RouteResolver
  /** The page cache. */
  respondPage: PageResponder | undefined
  errors: ErrorSender
  head: HeadWriter
  publicFiles: BuildFiles
  oldBuilds: OldBuilds | undefined
  /** Public files of other builds, sent by their own line of the routing table. */
  keptPublic: { find: FindKeptPublic; route: Route } | undefined
}

const IMMUTABLE: Caching = { audience: 'everyone', freshSeconds: LONGEST_CACHE_SECONDS, isImmutable: true }
const OF_ONE_CLIENT: Caching = { audience: 'this-client', freshSeconds: 0 }

const TRAVERSAL = 'The path holds an encoded "." or ".." segment, which no rewrite passes to another host.'

/** Creates the step. */
export function createDispatcher(deps: DispatcherDeps) {
  const { manifest, own: onDisk, proxy, resolveRoute, respondPage, errors, publicFiles, oldBuilds, keptPublic } = deps
  const sendFile = createFileSender(deps.head)
  const sendKept = keptPublic && createKeptSender(keptPublic, sendFile)
  const staticFiles = createBuildFiles(join(onDisk.dir, 'client', 'static'), onDisk.manifest.staticFiles)
  const manifests = loadBrowserManifests(join(onDisk.dir, 'client', 'manifest'))
  const own = { static: staticFiles, manifest: manifests }
  const isPrefixed = manifest.assetPrefix !== undefined
  const lacksHandler = createHandlerTest(manifest)

  /** Page data has GET and HEAD only (W2). */
  const isTakenByPage = ({ route, pageData, resolution }: Exchange, request: IncomingMessage) =>
    route?.isPage === true && !pageData && resolution !== undefined && takesBody(resolution, request, manifest)

  async function sendHashed(request: IncomingMessage, response: ServerResponse, folder: 'static' | 'manifest') {
    const raw = (exchangeOf(request).path ?? '').slice(`/${PREFIX_SEGMENT}/${folder}/`.length)
    // The guard refuses paths that cannot be decoded; the index and the store take names only, never paths.
    const name = raw.includes('%') ? decodeURIComponent(raw) : raw
    const file = own[folder].find(name) ?? (isFileName(name) ? await oldBuilds?.find(folder, name) : undefined)
    if (isClientGone(response)) return
    if (file) await sendFile(request, response, file, IMMUTABLE, folder === 'static' && isPrefixed)
    else errors.send(request, response, 'not-found')
  }

  async function sendImageSizes(request: IncomingMessage, response: ServerResponse) {
    const file = oldBuilds && (await findImageSizes(oldBuilds))
    if (isClientGone(response)) return
    if (file) await sendFile(request, response, file, OF_ONE_CLIENT)
    else errors.send(request, response, 'not-found')
  }

  const sendPage = (request: IncomingMessage, response: ServerResponse, route: Route) => {
    if (!respondPage?.(request, response, route)) proxy.pass(request, response, route)
  }

  // Not async: a promise for every proxied request would report nothing. Express reads errors of files from their promise.
  return function dispatch(request: IncomingMessage, response: ServerResponse) {
    const exchange = exchangeOf(request)
    const target = resolveRoute(request)
    const { route } = exchange
    // A rewrite may lead to a path that the guard has not seen.
    if (target?.kind === 'malformed')
      return errors.send(request, response, 'malformed-path', target.isTraversal && { message: TRAVERSAL })
    if (!route) return errors.send(request, response, 'not-found')
    const allow = refusedMethod(route, request.method ?? 'GET', isTakenByPage(exchange, request))
    if (allow !== undefined) return errors.send(request, response, 'method-not-allowed', { headers: { allow } })
    switch (route.by) {
      case 'renderer':
        // Files, handlers and other hosts have no page data: the browser requests the address itself.
        if (target?.kind === 'file' || target?.kind === 'api' || target?.kind === 'external')
          return errors.send(request, response, 'not-found')
        if (sendKept && exchange.isUnknown) return sendKept(request, response, () => sendPage(request, response, route))
        return sendPage(request, response, route)
      case 'actions':
        exchange.lacksHandler = lacksHandler(request)
        return proxy.pass(request, response, route)
      case 'images':
        return proxy.pass(request, response, route)
      case 'external':
        return proxy.passOut(request, response, route)
      case 'static-files':
        return sendHashed(request, response, 'static')
      case 'browser-manifest':
        return sendHashed(request, response, 'manifest')
      case 'public-files': {
        const path = target?.kind === 'file' ? target.pathname : exchange.path
        const file = path === undefined ? undefined : publicFiles.find(publicKey(path))
        if (!file) return errors.send(request, response, 'not-found')
        return sendFile(request, response, file, cachingOf(exchange))
      }
      case 'image-sizes':
        return sendImageSizes(request, response)
      case 'nothing': {
        const refuse = () => errors.send(request, response, 'not-found')
        // Without rewrites the listener of the images service resolves files by its table only.
        if (sendKept && route.isRest && (target === undefined || exchange.isUnknown))
          return sendKept(request, response, refuse)
        return refuse()
      }
    }
  }
}

/** For an address at which this build has nothing: another build may have a file there. */
function createKeptSender(
  { find, route }: NonNullable<DispatcherDeps['keptPublic']>,
  sendFile: ReturnType<typeof createFileSender>,
) {
  return async function sendKept(request: IncomingMessage, response: ServerResponse, otherwise: () => void) {
    const exchange = exchangeOf(request)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const file = exchange.path === undefined || !isRead ? undefined : await find(exchange.path)
    if (isClientGone(response)) return
    if (!file) return otherwise()
    exchange.route = route
    await sendFile(request, response, file, cachingOf(exchange))
  }
}

/** Whether a request below `/api` is for a handler that the build does not have: a newer replica may have it. */
function createHandlerTest({ basePath, apiRoutes }: Pick<Manifest, 'basePath' | 'apiRoutes'>) {
  const handlers = prepareRoutes(apiRoutes)
  return ({ url = '/' }: IncomingMessage): boolean => {
    const path = stripBasePath(splitTarget(url).pathname, basePath)
    return path !== undefined && isApiPath(path) && matchRoute(handlers, path).kind === 'no-match'
  }
}

/**
 * The name of a public file says nothing of its content. SECURITY: a cache must not send the file of one client's
 * conditions, or the file that middleware guards, to all.
 */
function cachingOf({ rewritesCompareClient, guarded }: Exchange): Caching {
  if (rewritesCompareClient || guarded?.moved) return OF_ONE_CLIENT
  return { audience: guarded ? 'everyone-let-pass' : 'everyone', freshSeconds: 0 }
}
