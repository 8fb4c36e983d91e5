// What the rendered objects must be, whatever overlay made them: each fault is a sentence that names the object (O3).

import { type Container, type KubernetesObject, matches, type PodSpec, type Selector } from '../manifests.ts'

interface Workload {
  at: string
  name: string
  kind: string
  replicas: number | undefined
  labels: Record<string, string>
  pod: PodSpec
}

/** Created by hand: no file contains them. */
const SECRETS: ReadonlySet<string> = new Set([
  'portico-secrets',
  'portico-site',
  'portico-redis',
  'portico-database',
  'portico-tls',
])

/** The Deployments and StatefulSets. */
export function workloadsOf(objects: readonly KubernetesObject[]): Workload[] {
  return objects.flatMap(({ kind, metadata, spec }) =>
    spec?.template
      ? {
          at: `${kind} ${metadata.name}`,
          name: metadata.name,
          kind,
          replicas: spec.replicas,
          labels: spec.template.metadata.labels,
          pod: spec.template.spec,
        }
      : [],
  )
}

/** Everything that the objects lack or have too much. */
export function policyFaults(objects: readonly KubernetesObject[]): string[] {
  const workloads = workloadsOf(objects)
  return [
    ...workloads.flatMap(podFaults),
    ...workloads.flatMap((workload) => referenceFaults(workload, objects)),
    ...workloads.flatMap((workload) => replicaFaults(workload, objects)),
    ...selectorFaults(workloads, objects),
  ]
}

/** SECURITY: rights of a pod that an attacker inside of it would use. */
function podFaults({ at, pod }: Workload): string[] {
  const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext ?? {}
  const has = (held: unknown, what: string) => (held ? [] : [`${at}: ${what}`])
  const nodes = Object.keys(pod).filter((key) => ['hostNetwork', 'hostPID', 'hostIPC'].includes(key))
  return [
    ...nodes.map((key) => `${at}: ${key}`),
    ...has(runAsNonRoot === true && Number(runAsUser) > 0, 'may run as root'),
    ...has(JSON.stringify(seccompProfile) === '{"type":"RuntimeDefault"}', 'has no seccomp profile'),
    ...has(pod.automountServiceAccountToken === false, 'has a token of the cluster'),
    ...(pod.volumes ?? []).flatMap((volume) => [
      ...has(!('hostPath' in volume), `${volume.name} is a folder of the node`),
      ...has(!volume.emptyDir || volume.emptyDir.sizeLimit, `${volume.name} has no size limit`),
    ]),
    ...[...(pod.initContainers ?? []), ...pod.containers].flatMap((container) => containerFaults(at, container)),
  ]
}

function containerFaults(
  pod: string,
  { name, resources, securityContext = {}, ports, ...probes }: Container,
): string[] {
  const at = `${pod}, container ${name}`
  const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities, ...others } = securityContext
  const has = (held: unknown, what: string) => (held ? [] : [`${at}: ${what}`])
  return [
    ...has(allowPrivilegeEscalation === false, 'may gain rights'),
    ...has(readOnlyRootFilesystem === true, 'may write its file system'),
    ...has(JSON.stringify(capabilities) === '{"drop":["ALL"]}', 'has capabilities'),
    ...Object.keys(others).map((key) => `${at}: ${key}`),
    ...has(!ports?.some((port) => 'hostPort' in port), 'takes a port of the node'),
    ...(['requests', 'limits'] as const).flatMap((kind) =>
      ['cpu', 'memory'].flatMap((what) => has(resources?.[kind]?.[what], `${kind} no ${what}`)),
    ),
    ...(['startupProbe', 'livenessProbe', 'readinessProbe'] as const).flatMap((key) =>
      has(probes[key], `has no ${key}`),
    ),
  ]
}

/** Names of other objects, which kustomize changes together with theirs. */
function referenceFaults({ at, pod }: Workload, objects: readonly KubernetesObject[]): string[] {
  const names = (kind: string) => objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name)
  const environment = pod.containers.flatMap(({ env = [] }) => env.map(({ valueFrom }) => valueFrom))
  const sources = pod.containers.flatMap(({ envFrom = [] }) => envFrom)
  const maps = [
    ...new Set([
      ...sources.flatMap(({ configMapRef }) => configMapRef?.name ?? []),
      ...environment.flatMap((from) => from?.configMapKeyRef?.name ?? []),
    ]),
  ]
  const secrets = [
    ...sources.flatMap(({ secretRef }) => secretRef?.name ?? []),
    ...environment.flatMap((from) => from?.secretKeyRef?.name ?? []),
    ...(pod.volumes ?? []).flatMap(({ secret }) => secret?.secretName ?? []),
  ]
  return [
    ...(names('PriorityClass').includes(pod.priorityClassName ?? '') ? [] : [`${at}: has no priority class`]),
    ...maps.filter((name) => !names('ConfigMap').includes(name)).map((name) => `${at}: no ConfigMap ${name}`),
    // A changed setting is a new name, and so a new pod.
    ...maps.filter((name) => !/-[a-z0-9]{10}$/.test(name)).map((name) => `${at}: ${name} has no hash`),
    ...secrets.filter((name) => !SECRETS.has(name)).map((name) => `${at}: no Secret ${name}`),
  ]
}

/** One source of the number of replicas, and one budget of disruptions that keeps one of several replicas. */
function replicaFaults({ at, name, kind, replicas, labels }: Workload, objects: readonly KubernetesObject[]): string[] {
  const scalers = objects.filter(
    (object) => object.kind === 'HorizontalPodAutoscaler' && object.spec.scaleTargetRef?.name === name,
  )
  const budgets = objects.filter(
    (object) => object.kind === 'PodDisruptionBudget' && matches(object.spec.selector ?? {}, labels),
  )
  const least = scalers[0]?.spec.minReplicas ?? replicas ?? 1
  const faults: string[] = []
  if (scalers.length > 1) faults.push(`${at}: has ${scalers.length} autoscalers`)
  if (scalers.some(({ spec }) => spec.scaleTargetRef?.kind !== kind))
    faults.push(`${at}: its autoscaler names another kind`)
  if (scalers.length > 0 && replicas !== undefined) faults.push(`${at}: has an autoscaler and a number of replicas`)
  if (least > 1 && budgets.length !== 1) faults.push(`${at}: has ${budgets.length} budgets for ${least} replicas`)
  for (const { spec } of budgets) {
    const evictable = spec.maxUnavailable ?? least - (spec.minAvailable ?? 0)
    if (evictable < 1) faults.push(`${at}: no pod may be evicted, so no node drained`)
    if (least > 1 && evictable >= least) faults.push(`${at}: all pods may be evicted at a time`)
  }
  return faults
}

/** Selectors that select nothing, and ports that no pod has. */
function selectorFaults(workloads: readonly Workload[], objects: readonly KubernetesObject[]): string[] {
  const selected = (labels: Selector) => workloads.filter((workload) => matches(labels, workload.labels))
  return objects.flatMap(({ kind, metadata, spec }) => {
    const at = `${kind} ${metadata.name}`
    if (kind === 'NetworkPolicy') return selected(spec.podSelector ?? {}).length > 0 ? [] : [`${at}: selects no pod`]
    if (kind === 'PodDisruptionBudget')
      return selected(spec.selector ?? {}).length === 1 ? [] : [`${at}: selects no pods`]
    if (kind === 'HorizontalPodAutoscaler')
      return workloads.some(({ name }) => name === spec.scaleTargetRef?.name) ? [] : [`${at}: has no target`]
    if (kind !== 'Service') return []
    // A Service has the labels themselves.
    const pods = selected({ matchLabels: spec.selector as unknown as Record<string, string> })
    const names = pods.flatMap(({ pod }) => pod.containers.flatMap(({ ports }) => ports.map(({ name }) => name)))
    return (spec.ports ?? [])
      .filter(({ targetPort }) => !names.includes(targetPort))
      .map(({ targetPort }) => `${at}: no pod has a port ${targetPort}`)
  })
}
