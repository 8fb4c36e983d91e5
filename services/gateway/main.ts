// The gateway as a process: the only service whose port is published. One process serves clients, or several behind one port.

import cluster from 'node:cluster'
import { runService } from '@portico/shared/kit/life/run-service.ts'
import { type Service, startService } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { type GatewayConfig, readGatewayConfig } from './config.ts'

/** Starts what the settings, or its parent, make this process. Each loads only its own modules. */
async function start(config: GatewayConfig, log: Log): Promise<Service> {
  // SIGHUP replaces the workers (primary.ts). A process that starts, one without workers, and the workers, which receive the
  // signal from a terminal, too, ignore it: without a handler the signal would end them.
  process.on('SIGHUP', () => {})
  if (cluster.isWorker) return (await import('./worker.ts')).startWorker(config, log)
  if (config.workers > 1) return (await import('./primary.ts')).startPrimary(config, log)
  return startAlone(config, log)
}

async function startAlone(config: GatewayConfig, log: Log): Promise<Service> {
  process.on('SIGHUP', () =>
    log.warn({ event: 'no-workers' }, 'SIGHUP replaces workers, and GATEWAY_WORKERS=1 has none: nothing was done'),
  )
  const [{ openGateway }, { watchWaiting }] = await Promise.all([import('./open.ts'), import('./watch-waiting.ts')])
  const opened = await openGateway(config, log)
  const service = await startService({ log, ...opened })
  watchWaiting(opened.notReady, log)
  return service
}

await runService('gateway', process.env, readGatewayConfig, start, cluster.worker?.id)
