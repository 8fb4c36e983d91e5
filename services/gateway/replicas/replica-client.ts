// Requests to the inner port of a replica that the gateway probes: they count as running there, and end when the replica is
// ejected.

import {
  createInnerClient,
  type InnerClientOptions,
  type InnerRequest,
  type InnerResult,
} from '@portico/shared/kit/inner/inner-client.ts'
import type { OnEjected, Replica, Replicas } from './service-replicas.ts'

export interface ReplicaClient {
  /** Never rejects. */
  send(replica: Replica, request: Omit<InnerRequest, 'watch'>): Promise<InnerResult>
  close(): void
}

export interface ReplicaClientDeps extends InnerClientOptions {
  replicas: Pick<Replicas, 'begin' | 'end' | 'failed' | 'heard'>
}

export function createReplicaClient({ replicas, ...options }: ReplicaClientDeps): ReplicaClient {
  const client = createInnerClient(options)
  return {
    async send(replica, request) {
      const result = await client.send(replica, {
        ...request,
        watch({ isUnsent, end }) {
          const onEjected: OnEjected = (why) => {
            if (why === 'given-up') end(why)
            else if (why === 'frozen' || isUnsent()) end('out')
          }
          replicas.begin(replica, onEjected)
          return { heard: () => replicas.heard(replica), ended: () => replicas.end(replica, onEjected) }
        },
      })
      if (result.kind === 'fault' && result.fault === 'refused') replicas.failed(replica, 'refused')
      return result
    },
    close: client.close,
  }
}
