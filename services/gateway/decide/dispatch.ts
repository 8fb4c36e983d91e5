// The first and the last step of routing: the request's line in the routing table, without TRACE, which no line takes
// (E6), and which service, or which part of the gateway, responds.

import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { Caching } from '@portico/shared/wire/caching.ts'
import { LONGEST_CACHE_SECONDS, PREFIX_SEGMENT } from '@portico/shared/wire/constants.ts'
import { splitLocale } from '@portico/shared/wire/locales/locales.ts'
import { takesBody } from '@portico/shared/wire/routing/page-methods.ts'
import { publicKey } from '@portico/shared/wire/routing/public-key.ts'
import { matchRoute, prepareRoutes } from '@portico/shared/wire/routing/routes.ts'
import { isApiPath, parseDataPath, splitTarget, stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { type Exchange, exchangeOf, NOTHING_FOUND, type Reply } from '../exchange/exchange.ts'
import {
  type BuildFiles,
  createBuildFiles,
  type FindKeptPublic,
  findImageSizes,
  isFileName,
  loadBrowserManifests,
  type OldBuilds,
} from '../files/files.ts'
import { findRoute, type Route, refusedMethod } from '../routes.ts'
import type { RouteResolver } from './resolve-route.ts'

/** Creates the step, which notes route, page data and locale in the exchange. */
export function createRouteFinder(routes: readonly Route[], { semantics, i18n }: Pick<Manifest, 'semantics' | 'i18n'>) {
  return function noteRoute(request: IncomingMessage): Reply | undefined {
    const exchange = exchangeOf(request)
    const { path, method } = exchange
    const route = path === undefined ? undefined : findRoute(routes, path, request)
    exchange.found = { ...NOTHING_FOUND, route }
    if (path !== undefined && route?.isData) exchange.pageData = parseDataPath(path, semantics)
    if (path !== undefined && i18n) exchange.locale = splitLocale(i18n, exchange.pageData?.pathname ?? path)
    if (method !== 'TRACE') return undefined
    // SECURITY: a response to TRACE repeats the request, with cookies that a script must not read. Refused before redirects.
    const allow = (route && refusedMethod(route, method)) ?? 'GET, HEAD'
    return { kind: 'error', code: 'method-not-allowed', extra: { headers: { allow } } }
  }
}

interface DispatcherDeps {
  manifest: Manifest
  /** The build whose hashed files are on the disk. */
  own: AppBuild
  resolveRoute: RouteResolver
  publicFiles: BuildFiles
  oldBuilds: OldBuilds | undefined
  /** Public files of other builds, sent by their own line of the routing table. */
  keptPublic: { find: FindKeptPublic; route: Route } | undefined
}

const IMMUTABLE: Caching = { audience: 'everyone', freshSeconds: LONGEST_CACHE_SECONDS, isImmutable: true }
const OF_ONE_CLIENT: Caching = { audience: 'this-client', freshSeconds: 0 }
const NOT_FOUND: Reply = { kind: 'error', code: 'not-found' }

const TRAVERSAL = 'The path holds an encoded "." or ".." segment, which no rewrite passes to another host.'

/** Creates the step. */
export function createDispatcher(deps: DispatcherDeps) {
  const { manifest, own: onDisk, resolveRoute, publicFiles, oldBuilds, keptPublic } = deps
  const staticFiles = createBuildFiles(join(onDisk.dir, 'client', 'static'), onDisk.manifest.staticFiles)
  const manifests = loadBrowserManifests(join(onDisk.dir, 'client', 'manifest'))
  const own = { static: staticFiles, manifest: manifests }
  const isPrefixed = manifest.assetPrefix !== undefined
  const lacksHandler = createHandlerTest(manifest)

  /** Page data has GET and HEAD only (W2). */
  const isTakenByPage = ({ pageData, found }: Exchange, request: IncomingMessage) =>
    found.route?.isPage === true &&
    !pageData &&
    found.resolution !== undefined &&
    takesBody(found.resolution, request, manifest.semantics)

  const hashedFile = async (exchange: Exchange, folder: 'static' | 'manifest'): Promise<Reply> => {
    const raw = (exchange.path ?? '').slice(`/${PREFIX_SEGMENT}/${folder}/`.length)
    // The guard refuses paths that cannot be decoded; the index and the store take names only, never paths.
    const name = raw.includes('%') ? decodeURIComponent(raw) : raw
    const file = own[folder].find(name) ?? (isFileName(name) ? await oldBuilds?.find(folder, name) : undefined)
    const isForAllOrigins = folder === 'static' && isPrefixed
    return file ? { kind: 'file', file, caching: IMMUTABLE, isForAllOrigins } : NOT_FOUND
  }

  const imageSizes = async (): Promise<Reply> => {
    const file = oldBuilds && (await findImageSizes(oldBuilds))
    return file ? { kind: 'file', file, caching: OF_ONE_CLIENT } : NOT_FOUND
  }

  /** For an address at which this build has nothing: another build may have a file there. */
  const keptFile = async (exchange: Exchange, otherwise: Reply): Promise<Reply> => {
    const { path, method } = exchange
    const isRead = method === 'GET' || method === 'HEAD'
    const file = path === undefined || !isRead ? undefined : await keptPublic?.find(path)
    if (!file || !keptPublic) return otherwise
    exchange.found = { ...exchange.found, route: keptPublic.route }
    return { kind: 'file', file, caching: cachingOf(exchange) }
  }

  // Not async: a promise for every proxied request would report nothing.
  return function dispatch(request: IncomingMessage): Reply | Promise<Reply> {
    const exchange = exchangeOf(request)
    const { route, target, isUnknown } = resolveRoute(request)
    // A rewrite may lead to a path that the guard has not seen.
    if (target?.kind === 'malformed')
      return { kind: 'error', code: 'malformed-path', ...(target.isTraversal && { extra: { message: TRAVERSAL } }) }
    if (!route) return NOT_FOUND
    const allow = refusedMethod(route, request.method ?? 'GET', isTakenByPage(exchange, request))
    if (allow !== undefined) return { kind: 'error', code: 'method-not-allowed', extra: { headers: { allow } } }
    switch (route.by) {
      case 'renderer':
        // Files, handlers and other hosts have no page data: the browser requests the address itself.
        if (target?.kind === 'file' || target?.kind === 'api' || target?.kind === 'external') return NOT_FOUND
        return keptPublic && isUnknown ? keptFile(exchange, { kind: 'page', route }) : { kind: 'page', route }
      case 'actions':
        return { kind: 'upstream', route, lacksHandler: lacksHandler(request) }
      case 'images':
        return { kind: 'upstream', route }
      case 'external':
        return { kind: 'outside', route }
      case 'static-files':
        return hashedFile(exchange, 'static')
      case 'browser-manifest':
        return hashedFile(exchange, 'manifest')
      case 'public-files': {
        const path = target?.kind === 'file' ? target.pathname : exchange.path
        const file = path === undefined ? undefined : publicFiles.find(publicKey(path))
        return file ? { kind: 'file', file, caching: cachingOf(exchange) } : NOT_FOUND
      }
      case 'image-sizes':
        return imageSizes()
      case 'nothing':
        // Without rewrites the listener of the images service resolves files by its table only.
        return route.isRest && (target === undefined || isUnknown) ? keptFile(exchange, NOT_FOUND) : NOT_FOUND
    }
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
