// One process that serves clients, the only one of a gateway or one of its workers: the listeners and all parts behind them.
// What a gateway has once comes from `control`.

import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import { createFeed } from '@portico/shared/kit/feed/feed.ts'
import type { Listener } from '@portico/shared/kit/life/listeners.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { Refusals } from '@portico/shared/kit/observe/refusals.ts'
import type { InvalidationMessage } from '@portico/shared/wire/invalidation.ts'
import type { Registry } from '@prometheus-io/client'
import { createGatewayApp } from './app.ts'
import { type OpenedPageCache, openPageCache } from './cache/open-page-cache.ts'
import { addressesOf, type GatewayConfig, hasPageCache } from './config.ts'
import { boundsOf } from './control/bounds.ts'
import type { Control } from './control/control.ts'
import { createServingFigures, type ServingFigures } from './control/gateway-status.ts'
import { createDevGatewayApp, DEV_FIRST_READY_MS } from './dev/dev-gateway.ts'
import type { FileStore } from './files/old-builds.ts'
import { createGatewayMetrics } from './gateway-metrics.ts'
import { createHandoverApp } from './handover/handover.ts'
import { createOtherBuilds, type OtherBuilds } from './handover/other-builds.ts'
import { createVerdicts } from './middleware/verdicts.ts'
import type { AwaitedService } from './replicas/readiness.ts'
import { createReplicasByService, type ReplicasByService } from './replicas/replicas-by-service.ts'

interface ServingParts {
  build: AppBuild
  /** Under development: the build of the folder in its present state. */
  current?: (() => AppBuild) | undefined
  control: Control
  /** Of published files. */
  store: FileStore
  registry: Registry
  refusals: Refusals
  log: Log
}

export interface Serving {
  listeners: Listener[]
  /** Of each listener. */
  maxConnections: number
  apply(message: InvalidationMessage): void
  figures(): Promise<ServingFigures>
  /** For which services the gateway waits, as far as this process knows. */
  awaited(): readonly AwaitedService[]
  /** All work before the first request. */
  warm(): Promise<void>
  /** Ends connections that would not end. */
  drain(): void
  close(): void
}

export function openServing(config: GatewayConfig, parts: ServingParts): Serving {
  const { build, current, control, store, registry, refusals, log } = parts
  const { cacheBytes, maxConnections, ...bounds } = boundsOf(config)
  const { lookup, probe, token } = control
  const { inFlightLimit } = bounds
  const draining = new AbortController()
  const replicas = createReplicasByService(config.services, log, {
    lookup,
    probe,
    inFlightLimit,
    isPatient: config.isDevelopment,
    // Under development renderers report no version.
    ...(current ? {} : { build: build.manifest.buildId }),
    isLeaving: () => draining.signal.aborted,
    onReady: (service, replica) => service === 'renderer' && otherBuilds?.note(replica),
  })
  const otherBuilds = current ? undefined : openOtherBuilds(parts, replicas)
  const metrics = createGatewayMetrics(registry, replicas)
  const pageCache = hasPageCache(config) ? openCache({ ...bounds, cacheBytes }, parts, replicas) : undefined
  const verdicts = createVerdicts({
    ...bounds,
    replicas: replicas.of('renderer'),
    token: token.current,
    log,
    isDraining: () => draining.signal.aborted,
    devMode: config.isDevelopment,
    // Under development the stack starts a renderer again on purpose.
    ...(config.isDevelopment && { firstReadyMs: DEV_FIRST_READY_MS }),
  })
  const deps = {
    ...config,
    ...bounds,
    build,
    replicas,
    log,
    metrics,
    refusals,
    postLimit: control.postLimit,
    pageCache,
    verdicts,
    oldBuilds: store,
    draining: draining.signal,
  }
  const listen = (listener: 'public' | 'site') => {
    if (current) return createDevGatewayApp({ ...deps, listener }, current)
    // The images service requests what the published listener has guarded.
    if (listener === 'site' || !otherBuilds) return createGatewayApp({ ...deps, listener })
    return createHandoverApp({ ...deps, listener }, otherBuilds)
  }
  return {
    listeners: addressesOf(config).map((address) => ({ ...address, ...listen(address.name) })),
    maxConnections,
    apply: (message) => pageCache?.apply(message),
    figures: createServingFigures(replicas, metrics),
    awaited: replicas.awaited,
    async warm() {
      await Promise.all([replicas.start().then(() => pageCache?.warm()), control.published()])
    },
    drain: () => draining.abort(),
    close() {
      pageCache?.close()
      verdicts.close()
      otherBuilds?.close()
      replicas.close()
    },
  }
}

function openOtherBuilds({ build, control, log }: ServingParts, replicas: ReplicasByService): OtherBuilds {
  const own = build.manifest.buildId
  return createOtherBuilds({ own, replicas: replicas.of('renderer'), token: control.token.current, log })
}

interface CacheBounds {
  cacheBytes: number
  readingLimitBytes: number
}

function openCache(
  { cacheBytes, readingLimitBytes }: CacheBounds,
  { build, control, registry, log }: ServingParts,
  replicas: ReplicasByService,
): OpenedPageCache & { apply(message: InvalidationMessage): void } {
  const feed = createFeed({ ...(control.marks && { reader: control.marks }), log })
  const opened = openPageCache({
    feed,
    limitBytes: cacheBytes,
    readingLimitBytes,
    build: build.manifest.buildId,
    replicas: replicas.of('renderer'),
    token: control.token,
    registry,
    log,
  })
  return { ...opened, apply: feed.apply }
}
