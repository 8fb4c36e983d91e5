// Starts the gateway: one process, or several behind one port.

import cluster from 'node:cluster'
import { loadAppBuild } from '@portico/shared/kit/config/app-build.ts'
import { followDevBuild } from '@portico/shared/kit/config/dev-manifest.ts'
import type { Service } from '@portico/shared/kit/life/serve.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { GatewayConfig } from './config.ts'

/** Starts what the settings, or its parent, make this process. Each loads only its own modules. */
export async function start(config: GatewayConfig, log: Log): Promise<Service> {
  // SIGHUP replaces the workers (primary.ts). A process that starts, one without workers, and the workers, which receive the
  // signal from a terminal, too, ignore it: without a handler the signal would end them.
  process.on('SIGHUP', () => {})
  const current = config.isDevelopment ? await followDevBuild(config.appDir) : undefined
  const build = current?.() ?? (await loadAppBuild(config.appDir))
  if (cluster.isWorker) return (await import('./workers/worker.ts')).startWorker(config, build, log)
  if (config.workers > 1) return (await import('./workers/primary.ts')).startPrimary(config, build, log)
  return (await import('./workers/alone.ts')).startAlone(config, { build, current, log })
}
