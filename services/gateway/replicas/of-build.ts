// The replicas of one build (X15): what middleware decides, no replica of another build may decide.

import type { ReplicaPool } from '../external/external-hosts.ts'
import { buildOf, type ChoiceOptions } from './choice.ts'
import { isServing } from './member-state.ts'
import type { Replica, Replicas } from './replicas.ts'

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
