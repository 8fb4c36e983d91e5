// The replicas of the services and of other hosts: membership by look-ups, health by probes and requests, the choice of
// one. It guarantees that a replica that fails is left out and returns slowly. proxy/ sends requests; pages/ and decide/
// use the client of the inner ports here.

export { buildOf, hashText, hashWeight, isReadyOf } from './choice.ts'
export { createExternalHosts, type ExternalHost, type ReplicaPool } from './external-hosts.ts'
export { isServing, type RequestFailure } from './member-state.ts'
export { type AwaitedService, awaitedReason } from './readiness.ts'
export { createReplicaClient, type ReplicaClientDeps } from './replica-client.ts'
export {
  chooseOfBuild,
  createReplicasByService,
  poolOfBuild,
  poolPreferring,
  type ReplicasByService,
  replicasOfBuild,
} from './replicas-by-service.ts'
export {
  IN_FLIGHT_LIMIT,
  type OnEjected,
  type Replica,
  type Replicas,
  type ReplicasOptions,
} from './service-replicas.ts'
