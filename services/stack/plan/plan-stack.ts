// The processes of one machine: ports, addresses, secrets and environment of each (O1, K3). A process keeps its ports when
// it is started again, so that the lists of addresses do not change.

import { type FROM_STACK, fromStack } from '@portico/shared/kit/config/from-stack.ts'
import { isGivenTo, SITE_SERVICES } from '@portico/shared/kit/config/process-environment.ts'
import { SETTINGS, type SettingName } from '@portico/shared/kit/config/settings.ts'
import { freePort } from '@portico/shared/kit/life/free-port.ts'
import { loadSecretFile } from '@portico/shared/kit/secrets/open-secrets.ts'
import type { CHOSEN, StackConfig } from '../config.ts'
import { SERVICE_NAMES, type ServiceName } from '../service-names.ts'
import { type AppEnvironment, readAppEnvironment } from './app-environment.ts'
import { replicaName, type Scale } from './scale.ts'

export const LOOPBACK = '127.0.0.1'

export type PlanConfig = StackConfig & { isDevelopment: boolean; scale: Scale }

export interface PlannedReplica {
  service: ServiceName
  /** As in logs. */
  name: string
  /** On loopback; the gateway's is its unpublished listener (SITE_PORT). */
  port: number
  innerPort: number
  environmentOf(inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv
}

interface Plan {
  /** The `.env` files that exist. */
  files: readonly string[]
  /** Names whose values are those of these files. */
  ofFiles: readonly string[]
  /** Names in these files that the stack reads from the environment only, or chooses itself. */
  withoutEffect: readonly string[]
  publicPort: number
  /** The gateway is the first. */
  replicas: readonly PlannedReplica[]
  /** The values that services inherit when the stack starts. */
  inherited: NodeJS.ProcessEnv
}

/** A process without its environment. */
type Slot = Omit<PlannedReplica, 'environmentOf'>

export function innerUrlAt(port: number): URL {
  return new URL(`http://${LOOPBACK}:${port}`)
}

export function appEnvironmentOf({ appDir, inherited, isDevelopment }: Omit<PlanConfig, 'scale'>): AppEnvironment {
  return { appDir, inherited, mode: isDevelopment ? 'development' : 'production' }
}

export async function planStack(config: PlanConfig): Promise<Plan> {
  const slots = await planSlots(config.scale)
  const publicPort = config.port === 0 ? await freePort(config.host) : config.port
  const shared = await planShared(config, slots, publicPort)
  const { values: inherited, files } = readAppEnvironment(appEnvironmentOf(config))
  // What the files have besides settings is the site's own, whatever its name (F3).
  const withoutSite = (values: NodeJS.ProcessEnv) =>
    Object.fromEntries(
      Object.entries(values).filter(([name]) => Object.hasOwn(config.inherited, name) || Object.hasOwn(SETTINGS, name)),
    )
  const replicas = slots.map((slot): PlannedReplica => {
    const runsSite = SITE_SERVICES.includes(slot.service)
    const own = {
      HOST: slot.service === 'gateway' ? config.host : LOOPBACK,
      PORT: String(slot.service === 'gateway' ? publicPort : slot.port),
      INNER_PORT: String(slot.innerPort),
    }
    const environmentOf = (values: NodeJS.ProcessEnv) => ({
      ...only(slot.service, { ...(runsSite ? values : withoutSite(values)), ...shared }),
      ...own,
      // The processors of one machine are those of all services and of its other programs.
      ...(slot.service === 'gateway' && { GATEWAY_WORKERS: values.GATEWAY_WORKERS || '1' }),
      // Each thread that allocates would keep memory of its own: a quarter of the stack's (infra/bench/footprint.ts). Bundlers
      // have many threads.
      ...(!config.isDevelopment && { MALLOC_ARENA_MAX: values.MALLOC_ARENA_MAX || '1' }),
    })
    return { ...slot, environmentOf }
  })
  // PORT and HOST are those of the gateway, and each process has its own.
  const own = Object.keys({ ...shared, HOST: '', PORT: '', INNER_PORT: '' })
  const ofFiles = Object.keys(inherited).filter((name) => config.inherited[name] === undefined)
  const withoutEffect = own.filter((name) => ofFiles.includes(name))
  return { publicPort, inherited, files, ofFiles, withoutEffect: withoutEffect.sort(), replicas }
}

/**
 * SECURITY: a service gets the variables of isGivenTo and no others, so that one that is taken over has no secret of the site
 * and no key of another service in its environment.
 */
function only(service: ServiceName, values: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isGivenTo(service, name)))
}

async function planSlots(scale: Scale): Promise<Slot[]> {
  const named = SERVICE_NAMES.flatMap((service) =>
    Array.from({ length: scale[service] }, (_, at) => ({ service, name: replicaName(service, at + 1, scale) })),
  )
  const ports = await Promise.all(named.map(() => Promise.all([freePort(), freePort()])))
  return named.map((slot, at) => {
    const [port, innerPort] = ports[at]!
    return { ...slot, port, innerPort }
  })
}

/** The settings that all processes share. */
async function planShared(config: PlanConfig, slots: readonly Slot[], publicPort: number): Promise<NodeJS.ProcessEnv> {
  const of = (service: ServiceName, port: 'port' | 'innerPort') =>
    slots.filter((slot) => slot.service === service).map((slot) => `http://${LOOPBACK}:${slot[port]}`)
  const urlsOf = (service: ServiceName) => of(service, 'port').join(',')
  const innerUrls = Object.fromEntries(SERVICE_NAMES.map((service) => [service, of(service, 'innerPort')]))
  const { isDevelopment } = config
  const chosen: Record<Exclude<(typeof CHOSEN)[number], 'INNER_PORT'>, string> = {
    SITE_PORT: String(slots.find(({ service }) => service === 'gateway')!.port),
    RENDERER_URL: urlsOf('renderer'),
    IMAGES_URL: urlsOf('images'),
    ACTIONS_URL: urlsOf('actions'),
    SITE_URL: urlsOf('gateway'),
  }
  const shared: Partial<Record<SettingName | 'NODE_ENV' | typeof FROM_STACK, string>> = {
    ...chosen,
    // SECURITY: unpublished listeners must not be reachable from other machines, whatever address the public port
    // listens on.
    ...fromStack({ isDevelopment, innerHost: LOOPBACK, appPort: publicPort, innerUrls }),
    DATA_DIR: config.dataDir,
    CACHE_DIR: config.cacheDir,
    APP_DIR: config.appDir,
    LOG_LEVEL: config.logLevel,
    STACK_TOKEN: config.stackToken ?? (await loadSecretFile('stack-token', config.dataDir)),
    ACTION_KEYS: config.actionKeys ?? (await loadSecretFile('action-key', config.dataDir)),
    DRAIN_DELAY_MS: String(config.drainDelayMs),
    DRAIN_DEADLINE_MS: String(config.drainDeadlineMs),
    NODE_ENV: isDevelopment ? 'development' : 'production',
  }
  return shared
}
