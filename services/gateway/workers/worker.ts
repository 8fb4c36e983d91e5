// A worker: serves clients, and has from the primary what a gateway has once.

import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { createRefusals } from '@portico/shared/kit/observe/refusals.ts'
import type { InvalidationMessage } from '@portico/shared/wire/invalidation.ts'
import type { GatewayConfig } from '../config.ts'
import { openFileStore } from '../files/open-file-store.ts'
import { openServing, type Serving } from '../serving.ts'
import { type Calls, createCalls } from './calls.ts'
import { openRemoteControl } from './remote-control.ts'
import type { PrimaryCalls, WorkerCalls } from './wire.ts'

/** A report without a change is a sign of life; the primary learns of a change within this time. */
const REPORT_MS = 100
const REPORT_AGAIN_MS = 1000
const CALL_LIMIT_MS = 5000
/** Before the deadline of the drain, so that the primary ends after its workers. */
const EARLIER_MS = 500

export async function startWorker(config: GatewayConfig, build: AppBuild, log: Log): Promise<Service> {
  const { buildId } = build.manifest
  const registry = createMetrics('gateway', buildId)
  const refusals = createRefusals({ log, registry })
  const snapshot = async () => ({ metrics: await registry.getMetricsAsJSON(), figures: await serving.figures() })
  const apply = (messages: readonly InvalidationMessage[]) => {
    for (const message of messages) serving.apply(message)
  }
  let service: Service | undefined
  const handlers = {
    apply,
    snapshot,
    retire: () => service?.retire(),
  } satisfies WorkerCalls
  const primary = createCalls<PrimaryCalls>({ send: (message) => process.send?.(message), handlers })
  process.on('message', primary.receive)
  const control = await openRemoteControl(config, primary, log)
  const store = await openFileStore(config, log)
  const serving = openServing(config, { build, control, store, registry, refusals, log })
  apply(await primary.call('join', buildId, CALL_LIMIT_MS))
  const reports = startReports(primary, serving)
  service = await startService({
    log,
    listeners: serving.listeners,
    sharesPorts: true,
    maxConnections: serving.maxConnections,
    refusals,
    warm: serving.warm,
    onDrain: serving.drain,
    close: async () => {
      // The counts of this process remain those of the gateway.
      await primary.call('leave', await snapshot(), CALL_LIMIT_MS).catch(() => {})
      reports.stop()
      serving.close()
      control.token.close()
      store.close()
    },
    drain: {
      delayMs: config.drainDelayMs,
      deadlineMs: Math.max(config.drainDelayMs, config.drainDeadlineMs - EARLIER_MS),
    },
  })
  reports.listening()
  return service
}

function startReports({ call }: Pick<Calls<PrimaryCalls>, 'call'>, serving: Pick<Serving, 'awaited'>) {
  let isListening = false
  let sent = ''
  let sentAt = Number.NEGATIVE_INFINITY
  const report = () => {
    const next = { isListening, awaited: serving.awaited() }
    const text = JSON.stringify(next)
    if (text === sent && performance.now() - sentAt < REPORT_AGAIN_MS) return
    sent = text
    sentAt = performance.now()
    // The next report says the same.
    call('report', next, CALL_LIMIT_MS).catch(() => {})
  }
  const timer = setInterval(report, REPORT_MS).unref()
  return {
    listening() {
      isListening = true
      report()
    },
    stop: () => clearInterval(timer),
  }
}
