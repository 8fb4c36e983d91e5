// The gateway's steps in order. A request passes from top to bottom; whoever answers it ends its way.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import express, { type NextFunction, type Request, type Response } from 'express'
import type { AppBuild } from '../shared/node/app-build.ts'
import { expressMessages } from '../shared/node/express-messages.ts'
import type { PublicClients } from '../shared/node/limited-servers.ts'
import type { Log } from '../shared/node/log.ts'
import type { RefusalReason, Refusals } from '../shared/node/refusals.ts'
import type { MessageClasses } from '../shared/node/serve.ts'
import { MAX_CONNECTIONS_PER_ADDRESS } from '../shared/wire/constants.ts'
import { createApiSources } from '../shared/wire/image-sources.ts'
import { createAccessLog } from './access-log.ts'
import { createAnswerHeaders } from './answer-headers.ts'
import { createExchangeBeginner } from './begin-exchange.ts'
import { createClosingConnections } from './closing-connections.ts'
import { createCrowdLimit } from './crowd-limit.ts'
import { createDispatcher } from './dispatch.ts'
import { createBuildFiles, publicKey } from './files/build-files.ts'
import type { OldBuilds } from './files/old-builds.ts'
import { createRouteFinder } from './find-route.ts'
import type { GatewayMetrics } from './gateway-metrics.ts'
import { createGuard } from './guard.ts'
import { type AddressRange, createForwardedReader, createTrust } from './proxy/forwarded.ts'
import { createProxy } from './proxy/proxy.ts'
import { dropMeaninglessBody } from './proxy/request-framing.ts'
import { createRedirector } from './redirects.ts'
import type { ReplicasByService } from './replicas/replicas-by-service.ts'
import { FIRST_BYTE_LIMITS, publicRoutes, siteRoutes } from './routes.ts'
import { createErrorSender } from './send-error.ts'
import { createUpgrader } from './upgrade.ts'

export interface GatewayDeps {
  build: AppBuild
  replicas: ReplicasByService
  log: Log
  metrics: GatewayMetrics
  publicOrigins: readonly string[]
  trustedProxies: readonly AddressRange[]
  /** Counts what limits refuse. */
  refusals?: Refusals
  /** Connections of one address at the public listener; running requests of one address behind a trusted proxy. */
  maxConnectionsPerAddress?: number
  /** Hashed files of other builds. */
  oldBuilds?: OldBuilds
  /** `public` is published; `site` is the listener for the images service. */
  listener?: 'public' | 'site'
  /** The renderer serves files as well, and sockets below `{prefix}/dev` (V1). */
  devMode?: boolean
  bodyCeilingBytes?: number
  waitingBodiesBytes?: number
  arrivingPerReplica?: number
  firstReadyMs?: number
  firstReadyWaiters?: number
  /** How long a connection to a replica may take to be made. */
  connectTimeoutMs?: number
  /** How long a visitor may take nothing of an answer. */
  stalledMs?: number
  /** Aborts when the gateway is about to stop: event streams end then. */
  draining?: AbortSignal
  limits?: typeof FIRST_BYTE_LIMITS
}

export interface GatewayApp {
  /** For the server, so that its requests are express's own from the start. */
  messages?: MessageClasses
  handler: RequestListener
  /** At the public listener. */
  clients?: PublicClients
  /** Under development alone: without it node:http answers an offer to upgrade as the ordinary request that it also is. */
  onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** Builds the app of one listener. */
export function createGatewayApp(deps: GatewayDeps): GatewayApp {
  const { build, log, metrics, publicOrigins, devMode = false, limits = FIRST_BYTE_LIMITS } = deps
  const { manifest, dir } = build
  const forwarded = createForwardedReader(deps)
  const answerHeaders = createAnswerHeaders({ rules: manifest.headers, publicOrigins, forwarded })
  const connections = createClosingConnections()
  const errors = createErrorSender({ answerHeaders, connections, buildId: manifest.buildId, log })
  const publicFiles = createBuildFiles(join(dir, 'public'), manifest.publicFiles)
  const { listener = 'public', maxConnectionsPerAddress = MAX_CONNECTIONS_PER_ADDRESS } = deps
  const noteRefusal = (reason: RefusalReason) => deps.refusals?.note(listener, reason)
  const proxy = createProxy({ ...deps, forwarded, answerHeaders, errors, onRetry: metrics.retried, noteRefusal })
  const isPublicFile = (path: string) => publicFiles.find(publicKey(path)) !== undefined
  const opensApi = createApiSources(manifest.images.localPatterns, manifest.basePath)
  const routes =
    listener === 'site'
      ? siteRoutes({ isPublicFile, opensApi, devMode, limits })
      : publicRoutes({ isPublicFile, devMode, limits })
  const dispatch = createDispatcher({ build, proxy, errors, answerHeaders, publicFiles, oldBuilds: deps.oldBuilds })

  const beginExchange = createExchangeBeginner(manifest.basePath, createAccessLog(log, metrics))
  const isTrusted = createTrust(deps.trustedProxies)
  const refuseCrowd = createCrowdLimit({ most: maxConnectionsPerAddress, isTrusted, forwarded, errors, noteRefusal })
  const refuseMalformed = createGuard(errors, connections)
  const noteRoute = createRouteFinder(routes, errors)
  const redirectElsewhere = createRedirector({ manifest, isPublicFile, forwarded, answerHeaders, errors })

  const app = express()
  app.disable('x-powered-by').disable('etag').disable('query parser')
  // One layer of express holds all steps: its walk from layer to layer costs more than they do.
  app.use(function answer(request: Request, response: Response) {
    beginExchange(request, response)
    if (refuseMalformed(request, response)) return
    dropMeaninglessBody(request)
    if (noteRoute(request, response)) return
    if (redirectElsewhere(request, response)) return
    if (refuseCrowd(request, response)) return
    return dispatch(request, response)
  })
  app.use(function answerError(thrown: unknown, request: Request, response: Response, _next: NextFunction) {
    try {
      errors.sendThrown(request, response, thrown)
    } catch (error) {
      log.error({ error }, 'an answer failed')
      response.destroy()
    }
  })
  // In place of express's own last handler, which it would make anew for each request. Every request has been answered.
  const last = () => {}
  // Express takes what node:http made; its types ask for what it makes of it.
  const handle = app as unknown as (request: IncomingMessage, response: ServerResponse, last: () => void) => void
  return {
    // The guard refuses requests without a Host; node:http would read on behind them.
    messages: { ...expressMessages(app), requireHostHeader: false },
    handler: (request: IncomingMessage, response: ServerResponse) => handle(request, response, last),
    // Only replicas of the images service connect to the other listener: their address is none of a client.
    ...(listener === 'public' && {
      clients: { maxConnectionsPerAddress, stalledMs: deps.stalledMs, isTrusted, refuseBody: proxy.refuseBody },
    }),
    ...(devMode && { onUpgrade: createUpgrader({ proxy, basePath: manifest.basePath }) }),
  }
}
