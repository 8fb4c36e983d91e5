// The gateway's steps in order, as middleware of express. A step responds or calls the next step.

import type { IncomingMessage, RequestListener } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { Resolve } from '@portico/shared/kit/addresses/address-guard.ts'
import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import { whileConnected } from '@portico/shared/kit/http/client-gone.ts'
import { networkOf } from '@portico/shared/kit/http/network-of.ts'
import { runSteps } from '@portico/shared/kit/http/run-steps.ts'
import type { PublicClients } from '@portico/shared/kit/life/limited-servers.ts'
import type { ClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { RefusalReason, Refusals } from '@portico/shared/kit/observe/refusals.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { MAX_CONNECTIONS_PER_ADDRESS } from '@portico/shared/wire/constants.ts'
import { createApiSources } from '@portico/shared/wire/image-sources.ts'
import { publicKey } from '@portico/shared/wire/routing/public-key.ts'
import { type NextFunction, type Request, type Response, Router } from 'express'
import {
  type CarryOutDeps,
  createCarryOut,
  createDecideWithPage,
  createDispatcher,
  createGuardStep,
  createRouteFinder,
  createRouteResolver,
  createTargetFinder,
  type RouteResolver,
  type TargetFinder,
  type Verdicts,
} from './decide/decide.ts'
import type { SendReply } from './exchange/exchange.ts'
import { createBuildFiles, createKeptPublicFinder, createPublishedPublic, type OldBuilds } from './files/files.ts'
import { type AddressRange, createForwardedReader, createTrust, isOriginForm } from './headers/headers.ts'
import type { GatewayMetrics } from './metrics.ts'
import type { OpenedPageCache } from './pages/pages.ts'
import { createProxy, offersWebSocket, type ServiceProxy, type WaitingRequests } from './proxy/proxy.ts'
import {
  createAccessLog,
  createExchangeBeginner,
  createGuard,
  createPostLimit,
  createRequestLimit,
  createUpgrader,
  type PostLimitDeps,
} from './receive/receive.ts'
import { createExternalHosts, type ReplicasByService } from './replicas/replicas.ts'
import { externalRoutes, type FIRST_BYTE_LIMITS, publicRoutes, type Route, siteRoutes } from './routes.ts'
import { createRedirector } from './rules/rules.ts'
import {
  asMiddleware,
  createCdnCaching,
  createClosingConnections,
  createEntrySender,
  createErrorSender,
  createForms,
  createHeadWriter,
  createPageResponder,
  createReplySender,
} from './send/send.ts'
import { createExplainer, type Explain } from './why/why.ts'

export interface GatewayDeps {
  build: AppBuild
  /** The build of the gateway, where it serves another one (handover/); its hashed files are on the disk. */
  own?: AppBuild
  /** Shared by the apps of one listener. */
  waiting: WaitingRequests
  replicas: ReplicasByService
  log: Log
  metrics: GatewayMetrics
  publicOrigins: readonly string[]
  trustedProxies: readonly AddressRange[]
  /** Counts refusals of limits. */
  refusals: Refusals
  /** Connections of one address at the public listener; running requests of one address behind a trusted proxy. */
  maxConnectionsPerAddress?: number
  /** The limit for requests of one client that change something. */
  postLimit?: ClientLimit | undefined
  /** Its figure. */
  postsPerMinute?: number
  /** Hosts of rewrites that may have inner addresses. */
  rewriteInnerHosts?: readonly string[]
  /** Replaces the resolver of the system for hosts of rewrites; for tests. */
  resolveHost?: Resolve
  /** The client of middleware. */
  verdicts: Pick<Verdicts, 'request'>
  /** Files of other builds. */
  oldBuilds?: OldBuilds | undefined
  /** Access lines of one client in a second (G7); 0 or absent: no limit. */
  accessLinesPerClient?: number
  /** Whether responses carry headers for a CDN (C6). */
  hasCdnTags?: boolean
  /** Without one, every page passes through the proxy. */
  pageCache?: Pick<OpenedPageCache, 'cache' | 'metrics'> | undefined
  /** `public` is published; `site` is the listener for the images service. */
  listener?: 'public' | 'site'
  /** The renderer serves files as well, and sockets below `{prefix}/dev` (V1). */
  devMode?: boolean
  /** Requests that this process may run at one other host at the same time. */
  inFlightLimit?: number
  /** Bytes of all verdicts that are being read from responses with pages. */
  readingLimitBytes?: number
  /** Time limit for a client that reads nothing of a response. */
  stalledMs?: number
  /** Aborts when the gateway is about to stop: event streams end then. */
  draining: AbortSignal
  limits?: typeof FIRST_BYTE_LIMITS
}

export interface GatewayApp {
  handler: RequestListener
  /** For the server. */
  requireHostHeader?: boolean
  /** At the public listener. */
  clients?: PublicClients
  /** Whether the handler carries out the offer: it leads to another host, by a rewrite of the site. */
  takesOffer?: (request: IncomingMessage) => boolean
  /** What the published listener would do with a request; absent in the unpublished one. */
  explain?: Explain
  /** Only under development: of all others. Without both node:http treats an offer as an ordinary request. */
  onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** Builds the app of one listener. */
export function createGatewayApp(deps: GatewayDeps): GatewayApp {
  const { build, log, metrics, publicOrigins, devMode = false } = deps
  const { manifest, dir } = build
  const { buildId, csp } = manifest
  const forwarded = createForwardedReader(deps)
  const { listener = 'public', maxConnectionsPerAddress = MAX_CONNECTIONS_PER_ADDRESS } = deps
  const cdn = deps.hasCdnTags && listener === 'public' ? createCdnCaching({ log }) : undefined
  const head = createHeadWriter({ manifest, publicOrigins, forwarded, cdn })
  const connections = createClosingConnections()
  const errors = createErrorSender({ head, connections, buildId, screenPolicy: csp.screen, log })
  const publicFiles = deps.own
    ? createPublishedPublic({ manifest, own: deps.own, oldBuilds: deps.oldBuilds })
    : createBuildFiles(join(dir, 'public'), manifest.publicFiles)
  const noteRefusal = (reason: RefusalReason) => deps.refusals.note(listener, reason)
  const onRetry = metrics.retried
  const proxy = createProxy({ ...deps, manifest, forwarded, head, errors, onRetry, noteRefusal })
  const isPublicFile = (path: string) => publicFiles.find(publicKey(path)) !== undefined
  const routes = routesOf(deps, isPublicFile)
  const hosts = otherHosts(deps)
  const findTarget = createTargetFinder({ manifest, forwarded })
  const resolveRoute = createRouteResolver({ manifest, routes, findTarget, ...hosts })
  const pages = deps.pageCache && {
    cache: deps.pageCache.cache,
    sendEntry: createEntrySender({ head, forms: createForms({ log }), onGrown: deps.pageCache.cache.grown }),
  }
  const respondPage =
    pages && createPageResponder({ ...pages, errors, buildId, pass: proxy.pass, count: deps.pageCache!.metrics.count })
  const send = createReplySender({ head, buildId, errors, connections, proxy, respondPage })
  const dispatch = createDispatcher({
    manifest,
    own: deps.own ?? build,
    resolveRoute,
    publicFiles,
    oldBuilds: deps.oldBuilds,
    keptPublic: keptPublicOf(deps, routes),
  })

  const { accessLinesPerClient = 0 } = deps
  const { beginExchange, attach } = createExchangeBeginner(
    manifest,
    accessLinesPerClient === 0 ? undefined : (request) => networkOf(forwarded(request).client),
    createAccessLog(log, metrics, accessLinesPerClient),
  )
  const isTrusted = createTrust(deps.trustedProxies)
  const limits = createLimits(deps, { isTrusted, forwarded, noteRefusal })
  const refuseMalformed = createGuard(connections)
  const noteRoute = createRouteFinder(routes, manifest)
  const redirectElsewhere = createRedirector({ manifest, isPublicFile, forwarded })
  const guard = createGuardOf(deps, { ...hosts, forwarded, proxy, send, findTarget, resolveRoute })

  const steps = Router()
  const before = [refuseMalformed, noteRoute, redirectElsewhere, ...limits].map((step) => asMiddleware(step, send))
  steps.use(beginExchange, ...before, ...(guard ? [whileConnected(guard.guard)] : []), asMiddleware(dispatch, send))
  // Express recognises an error handler by its four parameters.
  steps.use(function sendThrown(thrown: unknown, request: Request, response: Response, _next: NextFunction) {
    errors.sendThrown(request, response, thrown)
  })
  const run = runSteps(steps, log)
  return {
    handler(request, response) {
      if (isOriginForm(request.url ?? '')) run(request, response)
      // SECURITY: express skips all steps when it cannot parse the target.
      else beginExchange(request, response, () => before[0]?.(request, response, () => response.destroy()))
    },
    // The guard refuses requests without a Host header; node:http would keep the connection.
    requireHostHeader: false,
    // Only replicas of the images service connect to the other listener.
    ...(listener === 'public' && {
      clients: { maxConnectionsPerAddress, stalledMs: deps.stalledMs, isTrusted, refuseBody: proxy.refuseBody },
    }),
    ...(listener === 'public' && {
      explain: createExplainer({
        ...deps,
        manifest,
        attach,
        steps: { check: refuseMalformed, route: noteRoute, redirects: redirectElsewhere, respond: dispatch },
        guard,
        send,
        head,
        pages,
      }),
    }),
    ...(hosts.externalHosts.size > 0 && { takesOffer: offersWebSocket }),
    ...(devMode && { onUpgrade: createUpgrader({ proxy, basePath: manifest.basePath }) }),
  }
}

/** The steps that limit one client. */
function createLimits(
  { listener, trustedProxies, postLimit, maxConnectionsPerAddress = MAX_CONNECTIONS_PER_ADDRESS }: GatewayDeps,
  parts: Omit<PostLimitDeps, 'limit'>,
) {
  return [
    ...(trustedProxies.length > 0 ? [createRequestLimit({ ...parts, most: maxConnectionsPerAddress })] : []),
    ...(postLimit && listener !== 'site' ? [createPostLimit({ ...parts, limit: postLimit })] : []),
  ]
}

/** The routing table of the listener. */
function routesOf(deps: GatewayDeps, isPublicFile: (path: string) => boolean): readonly Route[] {
  const { build, listener, devMode = false, limits } = deps
  const { manifest } = build
  const { images, basePath, semantics } = manifest
  const opensApi = createApiSources(images.localPatterns, basePath)
  const common = { isPublicFile, devMode, ...(limits && { limits }) }
  if (listener === 'site') return siteRoutes({ ...common, opensApi })
  return publicRoutes({ ...common, hasActions: readsForms(manifest), semantics })
}

/** Under development a file that was removed is gone. */
function keptPublicOf({ oldBuilds, devMode, build, log }: GatewayDeps, routes: readonly Route[]) {
  const route = routes.find(({ by }) => by === 'public-files')
  if (!oldBuilds || devMode || !route) return undefined
  return { find: createKeptPublicFinder({ oldBuilds, basePath: build.manifest.basePath, log }), route }
}

interface GuardParts extends Omit<CarryOutDeps, 'basePath' | 'buildId'> {
  send: SendReply
  proxy: ServiceProxy
  findTarget: TargetFinder
  resolveRoute: RouteResolver
}

/** Undefined for a site without middleware, and for the listener of the images service: the public one guards images. */
function createGuardOf(deps: GatewayDeps, { send, proxy, findTarget, resolveRoute, ...parts }: GuardParts) {
  const { build, listener = 'public', verdicts, log, devMode, readingLimitBytes } = deps
  const { middleware, basePath, buildId } = build.manifest
  if (!middleware || listener === 'site') return undefined
  const carryOut = createCarryOut({ ...parts, basePath, buildId })
  const { holdBody, passWithQuestion } = proxy
  return createGuardStep({
    manifest: { ...build.manifest, middleware },
    forwarded: parts.forwarded,
    verdicts,
    // Under development a renderer shows what failed in middleware.
    decideWithPage: devMode
      ? () => false
      : createDecideWithPage({ buildId, findTarget, resolveRoute, passWithQuestion, readingLimitBytes }),
    carryOut,
    holdBody,
    send,
    log,
  })
}

/** The hosts of rewrites. SECURITY: the images service decides by its own list from which hosts it fetches. */
function otherHosts({ build, log, listener, rewriteInnerHosts = [], resolveHost, limits, inFlightLimit }: GatewayDeps) {
  const { manifest } = build
  const hosts = { manifest, innerHosts: rewriteInnerHosts, log, resolve: resolveHost, inFlightLimit }
  return {
    outside: externalRoutes(limits),
    externalHosts: listener === 'site' ? new Map() : createExternalHosts(hosts),
  }
}

/** Where no page takes forms, the actions service refuses those without an action, in every kind of site alike. */
function readsForms({ actions, pages }: Manifest): boolean {
  return actions.length > 0 || !pages.some(({ methods }) => methods === 'all')
}
