// A gateway of one process: it serves clients and has the inner port.

import type { AppBuild } from '@portico/shared/kit/config/app-build.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { createRefusals } from '@portico/shared/kit/observe/refusals.ts'
import type { GatewayConfig } from '../config.ts'
import { createInner } from '../control/inner.ts'
import { openControl } from '../control/open-control.ts'
import { watchWaiting } from '../control/watch-waiting.ts'
import { openFileStore } from '../files/open-file-store.ts'
import { awaitedReason } from '../replicas/readiness.ts'
import { openServing } from '../serving.ts'

interface AloneParts {
  build: AppBuild
  current: (() => AppBuild) | undefined
  log: Log
}

export async function startAlone(config: GatewayConfig, { build, current, log }: AloneParts): Promise<Service> {
  process.on('SIGHUP', () =>
    log.warn({ event: 'no-workers' }, 'SIGHUP replaces workers, and GATEWAY_WORKERS=1 has none: nothing was done'),
  )
  const registry = createMetrics('gateway', build.manifest.buildId)
  const refusals = createRefusals({ log, registry })
  const store = await openFileStore(config, log)
  const control = await openControl(config, { build, store, registry, log, apply: (message) => serving.apply(message) })
  const serving = openServing(config, { build, current, control, store, registry, refusals, log })
  const buildId = () => (current?.() ?? build).manifest.buildId
  // Under development the stack checks each service itself, sooner than the next probe does.
  const notReady = () => (current ? [] : serving.awaited().map((each) => awaitedReason(each, buildId())))
  const service = await startService({
    log,
    listeners: serving.listeners,
    inner: createInner(config, { control, serving, metrics: registry, buildId, log }),
    maxConnections: serving.maxConnections,
    refusals,
    warm: serving.warm,
    notReady,
    onDrain: serving.drain,
    close: async () => {
      serving.close()
      control.close()
      store.close()
    },
    drain: { delayMs: config.drainDelayMs, deadlineMs: config.drainDeadlineMs },
  })
  watchWaiting(notReady, log)
  return service
}
