// Opens one process that serves clients: the only one of a gateway, or one of its workers. Every part between its settings
// and its handlers. What time, network, disk or another process decides is a part, which a test replaces:
//
//   const opened = await openGateway(config, log, { site: { build }, control, replicas: { now: () => time } })

import { maxHeaderSize } from 'node:http'
import { type AppBuild, loadAppBuild } from '@portico/shared/kit/config/app-build.ts'
import { followDevBuild } from '@portico/shared/kit/feed/dev-build.ts'
import { createFeed, type Feed } from '@portico/shared/kit/feed/feed.ts'
import { lookupAll, probeReady } from '@portico/shared/kit/life/replica-probe.ts'
import type { Opened } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { createRefusals } from '@portico/shared/kit/observe/refusals.ts'
import { MAX_RESPONSE_HEAD_BYTES } from '@portico/shared/wire/constants.ts'
import type { InvalidationMessage } from '@portico/shared/wire/invalidation.ts'
import type { Registry } from '@prometheus-io/client'
import { createGatewayApp, type GatewayDeps } from './app.ts'
import { boundsOf } from './bounds.ts'
import { addressesOf, type GatewayConfig, hasPageCache } from './config.ts'
import {
  type Control,
  createServingFigures,
  type OpenedControl,
  type openControl,
  type ServingFigures,
} from './control/control.ts'
import { createVerdicts, type VerdictsDeps } from './decide/decide.ts'
import { createDevGatewayApp, DEV_FIRST_READY_MS } from './dev-gateway.ts'
import type { OldBuilds } from './files/files.ts'
import { createHandoverApp, createOtherBuilds, type OtherBuildsDeps } from './handover/handover.ts'
import { createGatewayMetrics } from './metrics.ts'
import { openPageCache, type PageCacheOptions } from './pages/pages.ts'
import { createWaitingRequests, type WaitingLimits } from './proxy/proxy.ts'
import {
  type AwaitedService,
  awaitedReason,
  createReplicasByService,
  type ReplicasByService,
  type ReplicasOptions,
} from './replicas/replicas.ts'
import type { Explain } from './why/why.ts'

interface GatewaySite {
  build: AppBuild
  /** Under development: the build of the folder in its present state. */
  current?: (() => AppBuild) | undefined
  /** Ends the following of the folder. */
  close?: () => void
}

/** What a worker has from its primary, and what a test may replace; each has the default of a gateway of one process. */
export interface GatewayParts {
  /** Instead of the build of APP_DIR, or its sources under development. */
  site?: GatewaySite
  /** What a gateway has once; closed by who made it. Without one the process has the inner port, too. */
  control?: Control
  /** Published files, in STATE_REDIS_URL or DATA_DIR; closed by who made it. */
  store?: OldBuilds
  registry?: Registry
  /** How replicas are found and probed, and the clock that compares their states. */
  replicas?: Partial<ReplicasOptions>
  /** The feed of marks and the clock of the page cache. */
  pageCache?: Partial<PageCacheOptions>
  verdicts?: Partial<VerdictsDeps>
  otherBuilds?: Partial<OtherBuildsDeps>
  /** The time limits and bounds of requests, and the resolver for hosts of rewrites. */
  app?: Partial<GatewayDeps & WaitingLimits>
}

export interface OpenedGateway extends Opened {
  site: GatewaySite
  registry: Registry
  replicas: ReplicasByService
  /** A message of the invalidation channel. */
  apply(message: InvalidationMessage): void
  figures(): Promise<ServingFigures>
  /** What the published listener would do with a request. */
  explain: Explain
  /** For which services the gateway waits, as far as this process knows. */
  awaited(): readonly AwaitedService[]
  notReady(): string[]
  close(): Promise<void>
}

export async function openGateway(config: GatewayConfig, log: Log, parts: GatewayParts = {}): Promise<OpenedGateway> {
  if (maxHeaderSize < MAX_RESPONSE_HEAD_BYTES)
    log.warn(
      { event: 'head-size', bytes: maxHeaderSize },
      `started without --max-http-header-size=${MAX_RESPONSE_HEAD_BYTES}: pages with larger heads are refused with 502`,
    )
  const site = parts.site ?? (await openSite(config, log))
  const { build, current } = site
  const { buildId } = build.manifest
  const registry = parts.registry ?? createMetrics('gateway', buildId)
  const refusals = createRefusals({ log, registry })
  let feed: Feed | undefined
  // Before there is a feed no page is kept.
  const apply = (message: InvalidationMessage) => feed?.apply(message)
  const own = parts.control ? undefined : await openOwn(config, { build, registry, log, apply })
  const control = parts.control ?? own!
  const token = control.token.current
  const oldBuilds = parts.store ?? own?.store
  const { cacheBytes, maxConnections, ...bounds } = boundsOf(config)
  const draining = new AbortController()
  const limits = {
    ...bounds,
    // Under development the stack starts a renderer again on purpose.
    ...(current && { firstReadyMs: DEV_FIRST_READY_MS }),
    draining: draining.signal,
    ...parts.app,
  }

  const replicas = createReplicasByService(config.services, log, {
    lookup: lookupAll,
    probe: probeReady,
    inFlightLimit: limits.inFlightLimit,
    isPatient: config.isDevelopment,
    // Under development renderers report no version.
    ...(current ? {} : { build: buildId }),
    isLeaving: () => draining.signal.aborted,
    ...parts.replicas,
    onReady: (service, replica) => service === 'renderer' && otherBuilds?.note(replica),
  })
  const ofRenderers = { replicas: replicas.of('renderer'), token, log }
  const otherBuilds = current ? undefined : createOtherBuilds({ own: buildId, ...ofRenderers, ...parts.otherBuilds })
  const metrics = createGatewayMetrics(registry, replicas)
  if (hasPageCache(config))
    feed = parts.pageCache?.feed ?? createFeed({ ...(control.marks && { reader: control.marks }), log })
  const pageCache =
    feed &&
    openPageCache({
      limitBytes: cacheBytes,
      readingLimitBytes: limits.readingLimitBytes,
      build: buildId,
      registry,
      ...ofRenderers,
      ...parts.pageCache,
      feed,
    })
  const verdicts = createVerdicts({
    ...limits,
    ...ofRenderers,
    isDraining: () => draining.signal.aborted,
    devMode: config.isDevelopment,
    ...parts.verdicts,
  })

  const openListener = (listener: 'public' | 'site') => {
    const common = {
      ...config,
      devMode: config.isDevelopment,
      build,
      replicas,
      log,
      metrics,
      refusals,
      postLimit: control.postLimit,
      pageCache,
      verdicts,
      oldBuilds,
      ...limits,
      listener,
      waiting: createWaitingRequests(limits),
    }
    /** The app over the own build, that of the folder under development, or another one in a handover. */
    const openApp = (over: Partial<GatewayDeps> = {}) => createGatewayApp({ ...common, ...over })
    if (current) return createDevGatewayApp({ ...common, current, openApp })
    // The images service requests what the published listener has guarded.
    return listener === 'site' ? openApp() : createHandoverApp({ ...common, builds: otherBuilds!, openApp })
  }
  const figures = createServingFigures(replicas, metrics)
  const listeners = addressesOf(config).map((address) => ({ ...address, ...openListener(address.name) }))
  const explain: Explain = (question) => {
    const published = listeners.find(({ name }) => name === 'public')
    if (!published?.explain) throw new Error('a gateway has a published listener')
    return published.explain(question)
  }
  const currentId = () => (current?.() ?? build).manifest.buildId
  // A worker, whose control is that of its primary, does not load the modules of the inner port.
  const inner =
    own &&
    (await import('./inner-routes.ts')).createInner(config, {
      control: own,
      serving: { apply, figures, explain },
      metrics: registry,
      buildId: currentId,
      log,
    })
  return {
    site,
    registry,
    replicas,
    listeners,
    ...(inner && { inner }),
    maxConnections,
    refusals,
    apply,
    figures,
    explain,
    awaited: replicas.awaited,
    // Under development the stack checks each service itself, sooner than the next probe does.
    notReady: () => (current ? [] : replicas.awaited().map((each) => awaitedReason(each, currentId()))),
    async warm() {
      await Promise.all([replicas.start().then(() => pageCache?.warm()), control.published()])
    },
    // Event streams would not end.
    onDrain: () => draining.abort(),
    async close() {
      pageCache?.close()
      verdicts.close()
      otherBuilds?.close()
      replicas.close()
      own?.close()
      if (!parts.site) site.close?.()
    },
    drain: { delayMs: config.drainDelayMs, deadlineMs: config.drainDeadlineMs },
  }
}

async function openSite(config: GatewayConfig, log: Log): Promise<GatewaySite> {
  if (!config.isDevelopment) return { build: await loadAppBuild(config.appDir) }
  const { current, close } = await followDevBuild({ ...config, name: 'gateway', log })
  return { build: current(), current, close }
}

async function openOwn(...given: Parameters<typeof openControl>): Promise<OpenedControl> {
  return (await import('./control/control.ts')).openControl(...given)
}
