// The services of one machine: the processes of plan/plan.ts, started together, stopped in order (O1).

import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nearNames } from '@portico/shared/kit/config/config.ts'
import { isGivenTo } from '@portico/shared/kit/config/process-environment.ts'
import { SettingsRefusedError } from '@portico/shared/kit/life/restart/restart-policy.ts'
import { removeStackAddresses, writeStackAddresses } from '@portico/shared/kit/store/stack-addresses.ts'
import { devNodeFlags, NODE_FLAGS } from './node-flags.ts'
import {
  appEnvironmentOf,
  innerUrlAt,
  LOOPBACK,
  type PlanConfig,
  type PlannedReplica,
  planStack,
  watchAppEnvironment,
} from './plan/plan.ts'
import type { StackLog } from './pretty-log.ts'
import { SERVICE_NAMES, type ServiceName } from './service-names.ts'
import { createServiceProcess, type ServiceProcess } from './service-process.ts'

/** Loading and checking takes seconds; longer than this is a fault. */
const READY_TIMEOUT_MS = 90_000
/** After one service rejected its settings, the others may report theirs for this long: all faults appear together. */
const OTHER_REPORTS_MS = 5000

export interface Stack {
  /** The address for a browser on this machine. */
  address: string
  /** Stops all services; resolves with the largest exit code. */
  stop(): Promise<number>
  /** Kills all services. */
  kill(): void
}

interface StackDeps {
  /** Folder of the repository. */
  root: string
  config: PlanConfig
  log: StackLog
  /** Receives the processes before they are ready, so that an early Ctrl-C can stop them. */
  onStarted?: (stack: Stack) => void
}

/** Starts the services; resolves when every one is ready. */
export async function startStack({ root, config, log, onStarted }: StackDeps): Promise<Stack> {
  const plan = await planStack(config)
  if (plan.files.length > 0) log.say(`the site's values are those of ${plan.files.join(', ')} and the environment`)
  if (plan.withoutEffect.length > 0)
    log.say(`${plan.withoutEffect.join(', ')} of these files has no effect: set it in the environment`, {}, 'warn')
  warnOfNearNames(plan.ofFiles, log)
  const processes = plan.replicas.map(({ service, name, innerPort, environmentOf }) => ({
    environmentOf,
    service,
    process: createServiceProcess({
      name,
      log,
      cwd: root,
      script: scriptOf(service, root, config.isDevelopment),
      nodeFlags: config.isDevelopment ? devNodeFlags(service) : NODE_FLAGS[service],
      environment: environmentOf(plan.inherited),
      readyUrl: new URL('/readyz', innerUrlAt(innerPort)).href,
    }),
  }))
  const all = processes.map(({ process }) => process)
  const stopDeadlineMs = config.drainDelayMs + config.drainDeadlineMs + 1000
  const unwatch = config.isDevelopment ? followAppEnvironment({ config, processes, log }) : () => {}
  const stack: Stack = {
    address: addressOf(config.host, plan.publicPort),
    async stop() {
      unwatch()
      removeStackAddresses(config.dataDir)
      const [gateway, ...others] = all
      const first = await gateway!.stop(stopDeadlineMs)
      const rest = await Promise.all(others.map((service) => service.stop(stopDeadlineMs)))
      return Math.max(first, ...rest)
    },
    kill: () => {
      unwatch()
      for (const service of all) service.kill()
    },
  }
  onStarted?.(stack)
  const starts = all.map((service) => service.ready(READY_TIMEOUT_MS))
  await Promise.all(starts).catch(async (error: unknown) => {
    if (error instanceof SettingsRefusedError) await Promise.race([Promise.allSettled(starts), sleep(OTHER_REPORTS_MS)])
    throw error
  })
  const innerUrlsOf = (wanted: ServiceName) =>
    plan.replicas.filter(({ service }) => service === wanted).map(({ innerPort }) => innerUrlAt(innerPort))
  writeStackAddresses(config.dataDir, { gateway: innerUrlsOf('gateway')[0]!, images: innerUrlsOf('images') })
  return stack
}

/** The installed package has bundles of the services for production, which start faster and hold less memory. */
function scriptOf(service: ServiceName, root: string, isDevelopment: boolean): string {
  const extension = extname(import.meta.url)
  const isCompiled = extension === '.js'
  return join(root, isCompiled && !isDevelopment ? 'bundles' : 'services', service, `main${extension}`)
}

interface Followed {
  config: StackDeps['config']
  processes: readonly (Pick<PlannedReplica, 'service' | 'environmentOf'> & { process: ServiceProcess })[]
  log: StackLog
}

/** Starts the services that read changed values again. Returns a function that ends this. */
function followAppEnvironment({ config, processes, log }: Followed): () => void {
  return watchAppEnvironment({
    ...appEnvironmentOf(config),
    onChange(values, names) {
      const services = SERVICE_NAMES.filter((service) => names.some((name) => isGivenTo(service, name)))
      warnOfNearNames(
        names.filter((name) => values[name] !== undefined),
        log,
      )
      // SECURITY: the values may be secrets.
      log.say(`${names.join(', ')} changed in the .env files; starting ${services.join(', ')} again`)
      for (const { service, environmentOf, process } of processes)
        if (services.includes(service)) void process.restart(environmentOf(values), config.drainDeadlineMs)
    },
    onError: (error) => log.say(error instanceof Error ? error.message : String(error), {}, 'warn'),
  })
}

/** Services that the stack has started leave this to it (run-service.ts). */
function warnOfNearNames(names: readonly string[], log: StackLog): void {
  for (const message of nearNames(names)) log.say(message, {}, 'warn')
}

function addressOf(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::' || host === LOOPBACK
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
