// The replicas of one build (X15): what middleware decides, no replica of another build may decide.

import { buildOfVersion } from '@portico/shared/wire/routing/version.ts'
import type { ReplicaPool } from '../external/external-hosts.ts'
import type { ChoiceOptions } from './choice.ts'
import type { Replica, Replicas } from './replicas.ts'

/** SECURITY: undefined where only replicas of another build, or of an unknown one, are usable. */
export function chooseOfBuild(
  replicas: Pick<Replicas, 'choose'>,
  build: string,
  options: ChoiceOptions<Replica> = {},
): Replica | undefined {
  const replica = replicas.choose({ ...options, build, mustServe: true })
  const version = replica?.state.version
  return version !== undefined && buildOfVersion(version) === build ? replica : undefined
}

/** The same for the attempts of the proxy. */
export function poolOfBuild(replicas: Replicas, build: string): ReplicaPool {
  return { ...replicas, choose: (options) => chooseOfBuild(replicas, build, options) }
}
