// The four services of one machine: ports, addresses and secrets for each, started together, stopped in order (O1).

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadSecret } from '@portico/shared/kit/config/secrets.ts'
import { SETTINGS, type SettingName } from '@portico/shared/kit/config/settings.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { removeStackAddresses, writeStackAddresses } from '@portico/shared/kit/store/stack-addresses.ts'
import type { CHOSEN, StackConfig } from './config.ts'
import { NODE_FLAGS } from './node-flags.ts'
import type { StackLog } from './pretty-log.ts'
import { SettingsRefusedError } from './restart-policy.ts'
import { SERVICE_NAMES, type ServiceName } from './service-names.ts'
import { createServiceProcess, type ServiceProcess } from './service-process.ts'
import { type AppEnvironment, readAppEnvironment, watchAppEnvironment } from './start/app-environment.ts'

const LOOPBACK = '127.0.0.1'
/** Loading and checking takes seconds; longer than this is a fault. */
const READY_TIMEOUT_MS = 90_000
/** After one service rejected its settings, the others may report theirs for this long: all faults appear together. */
const OTHER_REPORTS_MS = 5000

export interface Stack {
  /** The address for a browser on this machine. */
  address: string
  processes: Readonly<Record<ServiceName, ServiceProcess>>
  /** Stops all services; resolves with the largest exit code. */
  stop(): Promise<number>
  /** Kills all services. */
  kill(): void
}

export interface StackDeps {
  /** Folder of the repository. */
  root: string
  config: StackConfig & { isDevelopment?: boolean }
  log: StackLog
  /** Receives the processes before they are ready, so that an early Ctrl-C can stop them. */
  onStarted?: (stack: Stack) => void
}

/** Starts the services; resolves when every one is ready. */
export async function startStack({ root, config, log, onStarted }: StackDeps): Promise<Stack> {
  const plan = await planEnvironments(config)
  if (plan.files.length > 0) log.say(`the site's values are those of ${plan.files.join(', ')} and the environment`)
  const create = (name: ServiceName) =>
    createServiceProcess({
      name,
      log,
      cwd: root,
      script: join(root, 'services', name, 'main.ts'),
      nodeFlags: NODE_FLAGS[name],
      environment: plan.environmentsOf(plan.inherited)[name],
      readyUrl: `http://${LOOPBACK}:${plan.innerPorts[name]}/readyz`,
    })
  const processes = {
    gateway: create('gateway'),
    renderer: create('renderer'),
    images: create('images'),
    actions: create('actions'),
  }
  const all = SERVICE_NAMES.map((name) => processes[name])
  const stopDeadlineMs = config.drainDelayMs + config.drainDeadlineMs + 1000
  const unwatch = config.isDevelopment ? followAppEnvironment({ config, plan, processes, log }) : () => {}
  const stack: Stack = {
    address: addressOf(config.host, plan.publicPort),
    processes,
    async stop() {
      unwatch()
      removeStackAddresses(config.dataDir)
      const first = await processes.gateway.stop(stopDeadlineMs)
      const rest = await Promise.all(all.slice(1).map((service) => service.stop(stopDeadlineMs)))
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
  const innerUrlOf = (name: ServiceName) => new URL(`http://${LOOPBACK}:${plan.innerPorts[name]}`)
  writeStackAddresses(config.dataDir, { gateway: innerUrlOf('gateway'), images: innerUrlOf('images') })
  return stack
}

interface Followed {
  config: StackDeps['config']
  plan: Plan
  processes: Stack['processes']
  log: StackLog
}

/** Starts the services that read changed values again. Returns a function that ends this. */
function followAppEnvironment({ config, plan, processes, log }: Followed): () => void {
  return watchAppEnvironment({
    ...appEnvironmentOf(config),
    onChange(values, names) {
      const isOfSite = names.every((name) => !Object.hasOwn(SETTINGS, name))
      // The site's own variables are read by these services only.
      const services = isOfSite ? (['renderer', 'actions'] as const) : SERVICE_NAMES
      // SECURITY: the values may be secrets.
      log.say(`${names.join(', ')} changed in the .env files; starting ${services.join(', ')} again`)
      const environments = plan.environmentsOf(values)
      for (const name of services) void processes[name].restart(environments[name], config.drainDeadlineMs)
    },
    onError: (error) => log.say(error instanceof Error ? error.message : String(error), {}, 'warn'),
  })
}

function appEnvironmentOf({ appDir, inherited, isDevelopment }: StackDeps['config']): AppEnvironment {
  return { appDir, inherited, mode: isDevelopment ? 'development' : 'production' }
}

interface Plan {
  /** The `.env` files that exist. */
  files: readonly string[]
  publicPort: number
  innerPorts: Record<ServiceName, number>
  /** The values that services inherit when the stack starts. */
  inherited: NodeJS.ProcessEnv
  environmentsOf(inherited: NodeJS.ProcessEnv): Record<ServiceName, NodeJS.ProcessEnv>
}

async function planEnvironments(config: StackDeps['config']): Promise<Plan> {
  const ports = await Promise.all(Array.from({ length: 8 }, () => freePort()))
  const [site, renderer, images, actions, gatewayInner, rendererInner, imagesInner, actionsInner] = ports as Ports
  const publicPort = config.port === 0 ? await freePort(config.host) : config.port
  const url = (port: number) => `http://${LOOPBACK}:${port}`
  const store = { stateRedisUrl: undefined, dataDir: config.dataDir }
  const chosen: Record<Exclude<(typeof CHOSEN)[number], 'INNER_PORT'>, string> = {
    // SECURITY: unpublished listeners must not be reachable from other machines, whatever address the public port
    // listens on.
    SITE_HOST: LOOPBACK,
    INNER_HOST: LOOPBACK,
    SITE_PORT: String(site),
    RENDERER_URL: url(renderer),
    IMAGES_URL: url(images),
    ACTIONS_URL: url(actions),
    SITE_URL: url(site),
    GATEWAY_INNER_URL: url(gatewayInner),
    RENDERER_INNER_URL: url(rendererInner),
    IMAGES_INNER_URL: url(imagesInner),
    ACTIONS_INNER_URL: url(actionsInner),
  }
  const shared: Partial<Record<SettingName | 'NODE_ENV', string>> = {
    ...chosen,
    DATA_DIR: config.dataDir,
    CACHE_DIR: config.cacheDir,
    APP_DIR: config.appDir,
    LOG_LEVEL: config.logLevel,
    STACK_TOKEN: config.stackToken ?? (await loadSecret('stack-token', store)),
    ACTION_KEYS: config.actionKeys ?? (await loadSecret('action-key', store)),
    DRAIN_DELAY_MS: String(config.drainDelayMs),
    DRAIN_DEADLINE_MS: String(config.drainDeadlineMs),
    ...(config.isDevelopment ? { DEV_MODE: 'on', NODE_ENV: 'development' } : { NODE_ENV: 'production' }),
  }
  const { values: inherited, files } = readAppEnvironment(appEnvironmentOf(config))
  // SECURITY: secrets of the site in the files reach no service that runs no code of the site (F3).
  const settingsOf = (values: NodeJS.ProcessEnv) =>
    Object.fromEntries(
      Object.entries(values).filter(([name]) => Object.hasOwn(config.inherited, name) || Object.hasOwn(SETTINGS, name)),
    )
  const own = (port: number, innerPort: number, host = LOOPBACK): NodeJS.ProcessEnv => ({
    ...shared,
    HOST: host,
    PORT: String(port),
    INNER_PORT: String(innerPort),
  })
  return {
    publicPort,
    innerPorts: { gateway: gatewayInner, renderer: rendererInner, images: imagesInner, actions: actionsInner },
    inherited,
    files,
    environmentsOf: (values) => ({
      gateway: { ...settingsOf(values), ...own(publicPort, gatewayInner, config.host) },
      renderer: { ...values, ...own(renderer, rendererInner) },
      images: { ...settingsOf(values), ...own(images, imagesInner) },
      actions: { ...values, ...own(actions, actionsInner) },
    }),
  }
}

/** The eight ports of planEnvironments, in its order. */
type Ports = [number, number, number, number, number, number, number, number]

function addressOf(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || host === '::' || host === LOOPBACK
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}
