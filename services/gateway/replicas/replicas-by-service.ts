// The replicas of each service behind the gateway, and whether each had a ready one since the gateway started (O4).

import type { ServiceAddress } from '@portico/shared/kit/addresses/service-addresses.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import { SERVICE_NAMES, type ServiceName } from '../routes.ts'
import { createReplicas, type Replicas, type ReplicasOptions } from './replicas.ts'

export interface ReplicasByService {
  of(service: ServiceName): Replicas
  start(): Promise<void>
  /** Services that never had a ready replica. What fails later does not make the gateway unready. */
  neverReady(): ServiceName[]
  close(): void
}

type ServiceAddresses = Readonly<Record<ServiceName, readonly ServiceAddress[]>>

/** Follows all services. `options` is for tests: another resolver, another clock. */
export function createReplicasByService(
  addresses: ServiceAddresses,
  log: Log,
  options: Partial<ReplicasOptions> = {},
): ReplicasByService {
  const seen = new Set<ServiceName>()
  const create = (service: ServiceName): Replicas =>
    createReplicas({
      addresses: addresses[service],
      ...options,
      onChange(replica, state) {
        if (state === 'ready') seen.add(service)
        log.info({ event: 'replica', upstream: service, replica: replica.name, state }, 'replica changed')
        options.onChange?.(replica, state)
      },
    })
  const replicas = { renderer: create('renderer'), images: create('images'), actions: create('actions') }
  return {
    of: (service) => replicas[service],
    async start() {
      await Promise.all(SERVICE_NAMES.map((service) => replicas[service].start()))
    },
    neverReady: () => SERVICE_NAMES.filter((service) => !seen.has(service)),
    close() {
      for (const service of SERVICE_NAMES) replicas[service].close()
    },
  }
}
