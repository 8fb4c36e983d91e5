// Connects the parts of the gateway and starts the service.

import { type AppBuild, loadAppBuild } from '@portico/shared/kit/config/app-build.ts'
import { followDevBuild } from '@portico/shared/kit/config/dev-manifest.ts'
import { createInvalidationRoute } from '@portico/shared/kit/feed/invalidation-route.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { createRefusals } from '@portico/shared/kit/observe/refusals.ts'
import type { Registry } from 'prom-client'
import { createGatewayApp } from './app.ts'
import { openPageCache } from './cache/open-page-cache.ts'
import type { GatewayConfig } from './config.ts'
import { createDevGatewayApp, DEV_FIRST_READY_MS } from './dev/dev-gateway.ts'
import { createDiskFileStore } from './files/file-store-disk.ts'
import { publishImageSizes } from './files/image-sizes.ts'
import { keptPublicFiles, removeClosed } from './files/kept-public.ts'
import { createPublisher, type FileStore, hashedFiles, reportLeftOut } from './files/old-builds.ts'
import { createGatewayMetrics } from './gateway-metrics.ts'
import { createGatewayStatus } from './gateway-status.ts'
import { createVerdicts, type Verdicts } from './middleware/verdicts.ts'
import { watchCertificates } from './observe/certificates.ts'
import { type Changes, openChanges } from './purge/open-changes.ts'
import { createPurgeRoute } from './purge/purge-route.ts'
import { createReplicasByService, type ReplicasByService } from './replicas/replicas-by-service.ts'
import { followStackToken, type StackToken } from './stack-token.ts'
import { openState } from './state-redis.ts'

/** Starts the service. */
export async function start(config: GatewayConfig, log: Log): Promise<Service> {
  const current = config.isDevelopment ? await followDevBuild(config.appDir) : undefined
  const build = current?.() ?? (await loadAppBuild(config.appDir))
  const registry = createMetrics('gateway', build.manifest.buildId)
  const replicas = createReplicasByService(config.services, log)
  const metrics = createGatewayMetrics(registry, replicas)
  const status = createGatewayStatus(replicas, metrics, () => (current?.() ?? build).manifest.buildId)
  const refusals = createRefusals({ log, registry })
  const { stateRedisUrl, dataDir } = config
  const store = stateRedisUrl
    ? (await import('./files/file-store-redis.ts')).createRedisFileStore(stateRedisUrl, log)
    : createDiskFileStore(dataDir)
  const publisher = openPublisher(build, store, log, config.isDevelopment)
  const draining = new AbortController()
  const token = await followStackToken({ ...config, log })
  const pageCache = await openCache(config, { build, replicas, token, registry, log })
  const verdicts = openVerdicts(config, { replicas, token, log, isDraining: () => draining.signal.aborted })
  const changes = openOwnChanges(config, build, token, log)
  const state = await openState(config, { token, registry, log })
  const certificates = config.certificates && watchCertificates({ ...config.certificates, registry, log })
  const deps = {
    ...config,
    build,
    replicas,
    log,
    metrics,
    refusals,
    postLimit: state.postLimit,
    pageCache,
    verdicts,
    oldBuilds: store,
    draining: draining.signal,
  }
  const listen = (listener: 'public' | 'site') =>
    current ? createDevGatewayApp({ ...deps, listener }, current) : createGatewayApp({ ...deps, listener })
  return startService({
    log,
    listeners: [
      { name: 'public', host: config.host, port: config.port, ...listen('public') },
      // Data functions fetch through this listener while renderer and actions warm up.
      { name: 'site', host: config.siteHost, port: config.sitePort, opensBeforeWarmUp: true, ...listen('site') },
    ],
    inner: {
      host: config.innerHost,
      port: config.innerPort,
      metrics: registry,
      status,
      routes: [
        // Without a page cache nothing is out of date: publishers notify every gateway.
        ...(pageCache?.routes ?? [createInvalidationRoute({ apply: () => {} })]),
        createPurgeRoute(changes, log),
      ],
      get token() {
        return token.get()
      },
    },
    maxConnections: config.maxConnections,
    refusals,
    warm: async () => {
      await Promise.all([replicas.start().then(() => pageCache?.warm()), publisher.start()])
    },
    // Under development the stack checks each service itself, sooner than the next probe does.
    notReady: () =>
      (current ? [] : replicas.neverReady()).map((service) => `no replica of ${service} has been ready yet`),
    onDrain: () => draining.abort(),
    close: async () => {
      publisher.stop()
      store.close()
      pageCache?.close()
      verdicts.close()
      changes.close()
      state.close()
      certificates?.close()
      token.close()
      replicas.close()
    },
    drain: { delayMs: config.drainDelayMs, deadlineMs: config.drainDeadlineMs },
  })
}

/** Under development no file of the app folder is kept. */
function openPublisher(build: AppBuild, store: FileStore, log: Log, isDevelopment: boolean) {
  if (isDevelopment) return createPublisher(hashedFiles(build), store, log)
  const { files, closed, leftOut } = keptPublicFiles(build)
  for (const [reason, entries] of leftOut) reportLeftOut(log, reason, entries)
  const finish = async () => {
    await removeClosed(store, closed)
    await publishImageSizes(store, build.manifest.images)
  }
  return createPublisher([...hashedFiles(build), ...files], store, log, finish)
}

interface CacheParts {
  build: AppBuild
  replicas: ReplicasByService
  token: StackToken
  registry: Registry
  log: Log
}

/** Undefined where the page cache is off; under development pages change without a mark. */
async function openCache(config: GatewayConfig, { build, replicas, token, registry, log }: CacheParts) {
  if (config.isDevelopment || config.cacheBytes === 0) return undefined
  return openPageCache({
    ...config,
    limitBytes: config.cacheBytes,
    build: build.manifest.buildId,
    replicas: replicas.of('renderer'),
    token,
    registry,
    log,
  })
}

/** The way to the site's middleware. */
function openVerdicts(
  { isDevelopment }: GatewayConfig,
  { replicas, token, ...rest }: Pick<CacheParts, 'replicas' | 'token' | 'log'> & { isDraining: () => boolean },
): Verdicts {
  return createVerdicts({
    ...rest,
    replicas: replicas.of('renderer'),
    token: token.get,
    devMode: isDevelopment,
    // Under development the stack starts a renderer again on purpose.
    ...(isDevelopment && { firstReadyMs: DEV_FIRST_READY_MS }),
  })
}

/** The changes that this gateway publishes: purges. */
function openOwnChanges(config: GatewayConfig, { manifest }: AppBuild, token: StackToken, log: Log): Changes {
  const { renderer, actions } = config.services
  const innerUrls = {
    gateway: config.gatewayInnerUrls,
    renderer: renderer.map(({ innerUrl }) => innerUrl),
    actions: actions.map(({ innerUrl }) => innerUrl),
  }
  return openChanges({ ...config, innerUrls, token: token.get, log, i18n: manifest.i18n })
}
