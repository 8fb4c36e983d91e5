// The primary process of a gateway with workers: it has the inner port and all that a gateway has once, and serves no client.

import cluster from 'node:cluster'
import { loadAppBuild } from '@portico/shared/kit/config/app-build.ts'
import { checkPort } from '@portico/shared/kit/life/listen.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { createRefusals } from '@portico/shared/kit/observe/refusals.ts'
import type { InvalidationMessage } from '@portico/shared/wire/invalidation.ts'
import { Counter } from '@prometheus-io/client'
import { addressesOf, type GatewayConfig } from './config.ts'
import { mergeFigures, type OpenedControl, openControl, watchWaiting } from './control/control.ts'
import { createInner } from './inner-routes.ts'
import { awaitedReason } from './replicas/replicas.ts'
import { SERVICE_NAMES } from './routes.ts'
import type { Explain } from './why/why.ts'
import {
  createCounts,
  createMember,
  createPool,
  createRecentMessages,
  mergeMetrics,
  type Pool,
  type SharedHandlers,
} from './workers/workers.ts'

export async function startPrimary(config: GatewayConfig, log: Log): Promise<Service> {
  const build = await loadAppBuild(config.appDir)
  const { buildId } = build.manifest
  // Workers share their ports, so that only the first check can find another program there.
  for (const address of addressesOf(config)) await checkPort(address)
  const registry = createMetrics('gateway', buildId)
  const recent = createRecentMessages()
  const apply = async (message: InvalidationMessage) => {
    recent.note(message)
    await Promise.all(pool.members().map((member) => member.apply(message)))
  }
  const control = await openControl(config, { build, registry, log, apply })
  const exits = new Counter({
    name: 'portico_gateway_worker_exits_total',
    help: 'Workers of the gateway that ended although nothing had stopped them.',
    registers: [registry],
  })
  const counts = createCounts(() => pool.members(), log)
  const handlers = createHandlers(control, { buildId, recent: recent.list })
  // Plain data of any kind: JSON has no NaN, which is the mean of no values.
  cluster.setupPrimary({ serialization: 'advanced' })
  const pool = createPool({
    count: config.workers,
    fork: () => createMember(cluster.fork(), handlers, log),
    deadlineMs: config.drainDeadlineMs,
    onEnded: (member) => counts.keep(member.snapshot()),
    onCrash: () => exits.inc(),
    log,
  })
  // Also without a drain: a worker whose event loop is blocked receives neither SIGTERM nor the end of its channel.
  process.on('exit', pool.killAll)
  const metrics = async () =>
    mergeMetrics([await registry.getMetricsAsJSON(), ...(await counts.read()).map((each) => each.metrics)])
  const figures = async () => mergeFigures((await counts.read()).map((each) => each.figures))
  const explain: Explain = async (question) => {
    const member = pool.members().find((each) => each.isListening())
    if (!member) throw new Error('no worker serves clients yet')
    return member.explain(question)
  }
  let stopped = Promise.resolve()
  const notReady = createReasons(pool, buildId)
  const service = await startService({
    log,
    listeners: [],
    inner: createInner(config, { control, serving: { apply, figures, explain }, metrics, buildId: () => buildId, log }),
    maxConnections: config.maxConnections,
    refusals: createRefusals({ log, registry }),
    warm: pool.start,
    notReady,
    after: {
      idle: () => stopped,
      unfinished: () => pool.members().map(({ id }) => `worker ${id}`),
    },
    close: async () => control.close(),
    drain: { delayMs: config.drainDelayMs, deadlineMs: config.drainDeadlineMs },
  })
  watchWaiting(notReady, log)
  process.on('SIGHUP', () => void pool.replaceAll())
  return {
    ...service,
    stop() {
      // Each worker drains as a gateway of one process does.
      stopped = pool.stop()
      return service.stop()
    },
  }
}

interface HandlerParts {
  buildId: string
  recent: () => InvalidationMessage[]
}

function createHandlers(control: OpenedControl, { buildId, recent }: HandlerParts): SharedHandlers {
  return {
    join(ofWorker) {
      if (ofWorker !== buildId)
        throw new Error(`the build in the app folder is ${ofWorker}, this gateway serves ${buildId}: start it again`)
      return recent()
    },
    token() {
      const token = control.token.current()
      if (token === undefined) throw new Error('the token of the stack is not known yet')
      return token
    },
    takeTurn: async (address) => (await control.postLimit?.take(address)) ?? 0,
    published: control.published,
  }
}

/**
 * Why the gateway is not ready: no worker accepts connections, or a service never had a ready replica. What one worker has seen
 * counts for its successors, too.
 */
function createReasons(pool: Pool, buildId: string) {
  const seen = new Set<string>()
  return (): string[] => {
    const listening = pool.members().filter((member) => member.isListening())
    if (listening.length === 0) return ['no worker accepts connections']
    for (const service of SERVICE_NAMES)
      if (listening.some((member) => !member.awaited().some((each) => each.service === service))) seen.add(service)
    const awaited = listening[0]?.awaited() ?? []
    return awaited.filter(({ service }) => !seen.has(service)).map((each) => awaitedReason(each, buildId))
  }
}
