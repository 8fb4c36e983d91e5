// For tests of the replicas of one service: a resolver, probes and a clock that the test sets.

import type { ProbeResult } from '@portico/shared/kit/life/replica-probe.ts'
import { afterEach, beforeEach, vi } from 'vitest'
import { createReplicas, type Replica, type Replicas, type ReplicasOptions } from '../replicas/service-replicas.ts'

const url = new URL('http://service:8080')
const innerUrl = new URL('http://service:9090')

interface FakeService {
  /** What the resolver returns. */
  addresses: string[]
  /** By address; without one a probe finds the replica ready. `silent`: a frozen replica never responds. */
  probes: Record<string, ProbeResult | 'silent'>
  /** `address state`, as reported. */
  changes: string[]
  replicas: Replicas
  start(options?: Partial<ReplicasOptions>): Promise<Replicas>
  /** The addresses that receive new requests now. */
  chosen(): string[]
  at(address: string): Replica
}

/** One service for each test of the file, with a fake clock. */
export function useService(): FakeService {
  const service: FakeService = {
    addresses: [],
    probes: {},
    changes: [],
    replicas: createReplicas({ addresses: [] }),
    async start(options = {}) {
      service.replicas = createReplicas({
        addresses: [{ url, innerUrl }],
        lookup: async () => service.addresses,
        probe: (address, _port, timeoutMs) => {
          const result = service.probes[address] ?? 'ready'
          if (result !== 'silent') return Promise.resolve({ result })
          return new Promise((done) => setTimeout(() => done({ result: 'failed' }), timeoutMs))
        },
        now: () => performance.now(),
        onChange: (replica, state) => service.changes.push(`${replica.address} ${state}`),
        ...options,
      })
      await service.replicas.start()
      return service.replicas
    },
    chosen() {
      const found = new Set<string>()
      for (let index = 0; index < 200; index++) found.add(service.replicas.choose()?.address ?? 'none')
      return [...found].sort()
    },
    at: (address) => service.replicas.list().find((replica) => replica.address === address)!,
  }
  beforeEach(() => {
    vi.useFakeTimers()
    Object.assign(service, { addresses: ['10.0.0.1', '10.0.0.2'], probes: {}, changes: [] })
  })
  afterEach(() => {
    service.replicas.close()
    vi.useRealTimers()
  })
  return service
}
