// The replicas of each service behind the gateway, those of one build (X15: what middleware decides, no replica of
// another build may decide), and for which of them the gateway waits before it is ready for the first time (O4, O12).

import type { ServiceAddress } from '@portico/shared/kit/config/service-addresses.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { SERVICE_NAMES, type ServiceName } from '../routes.ts'
import { buildOf, type ChoiceOptions } from './choice.ts'
import type { ReplicaPool } from './external-hosts.ts'
import { isServing } from './member-state.ts'
import { type AwaitedService, createReadiness, reduceReadiness } from './readiness.ts'
import { createReplicas, type Replica, type Replicas, type ReplicasOptions } from './service-replicas.ts'

/** SECURITY: undefined where only replicas of another build, or of an unknown one, are usable. */
export function chooseOfBuild(
  replicas: Pick<Replicas, 'choose'>,
  build: string,
  options: ChoiceOptions<Replica> = {},
): Replica | undefined {
  const replica = replicas.choose({ ...options, build, mustServe: true })
  return replica && buildOf(replica) === build ? replica : undefined
}

/** The same for the attempts of the proxy. */
export function poolOfBuild<T extends ReplicaPool>(replicas: T, build: string): T {
  return { ...replicas, choose: (options) => chooseOfBuild(replicas, build, options) }
}

/**
 * Replicas of the build while one responds, also one that drains: a replica of another build sends nothing of what its own
 * middleware guards (O12). A request that names a build has its own preference.
 */
export function poolPreferring(replicas: ReplicaPool, build: string, now = () => performance.now()): ReplicaPool {
  return {
    ...replicas,
    choose(options = {}) {
      if (options.build !== undefined && options.build !== build) return replicas.choose(options)
      const own = chooseOfBuild(replicas, build, options)
      return own && isServing(own.state, now()) ? own : replicas.choose(options)
    },
  }
}

export interface ReplicasByService {
  of(service: ServiceName): Replicas
  start(): Promise<void>
  /** The services of which no replica was ready that this gateway needs. What fails later does not make it unready. */
  awaited(): readonly AwaitedService[]
  close(): void
}

type ServiceAddresses = Readonly<Record<ServiceName, readonly ServiceAddress[]>>

interface ByServiceOptions extends Partial<ReplicasOptions> {
  /** A replica became ready. */
  onReady?: (service: ServiceName, replica: Replica) => void
}

/**
 * Follows all services. `build` of the options is that of the gateway; without one a replica of any build counts. The other
 * options are for tests: another resolver, another clock.
 */
export function createReplicasByService(
  addresses: ServiceAddresses,
  log: Log,
  { build, onReady, ...options }: ByServiceOptions = {},
): ReplicasByService {
  let readiness = createReadiness(build)
  const create = (service: ServiceName): Replicas =>
    createReplicas({
      addresses: addresses[service],
      ...options,
      ...(build !== undefined && service !== 'images' && { build }),
      onChange(replica, state) {
        log.info({ event: 'replica', upstream: service, replica: replica.name, state }, 'replica changed')
        if (state === 'ready') {
          readiness = reduceReadiness(readiness, { service, build: buildOf(replica) })
          onReady?.(service, replica)
        }
        options.onChange?.(replica, state)
      },
    })
  const replicas = { renderer: create('renderer'), images: create('images'), actions: create('actions') }
  return {
    of: (service) => replicas[service],
    async start() {
      await Promise.all(SERVICE_NAMES.map((service) => replicas[service].start()))
    },
    awaited: () => readiness.awaited,
    close() {
      for (const service of SERVICE_NAMES) replicas[service].close()
    },
  }
}

/** SECURITY: renderers and actions of one build only (O12). Images are of no build. */
export function replicasOfBuild(replicas: ReplicasByService, build: string): ReplicasByService {
  const ofBuild = {
    renderer: poolOfBuild(replicas.of('renderer'), build),
    images: replicas.of('images'),
    actions: poolOfBuild(replicas.of('actions'), build),
  }
  return { ...replicas, of: (service) => ofBuild[service] }
}
