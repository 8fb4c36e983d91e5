// Reads the files by which orchestrators run the stack: compose, Swarm, Kubernetes.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { root } from './sources.ts'

/** What the checks read of a compose file's service; `deploy` only under Swarm. */
interface ComposeService {
  image?: string
  user?: string
  build?: { args?: Record<string, string> }
  command?: string[]
  environment?: Record<string, string>
  env_file?: (string | { path: string })[]
  networks?: string[]
  volumes?: unknown[]
  /** The name of a secret, or a secret whose file is not in /run/secrets. */
  secrets?: (string | { source: string; target: string })[]
  ports?: unknown[]
  depends_on?: Record<string, { condition: string }>
  read_only?: boolean
  init?: boolean
  cap_drop?: string[]
  mem_limit?: string
  pids_limit?: number
  cpus?: number
  stop_grace_period?: string
  deploy?: {
    endpoint_mode?: string
    mode?: string
    replicas?: number
    resources?: { limits?: { cpus?: string; memory?: string; pids?: number } }
    update_config?: { order?: string; failure_action?: string }
    placement?: { constraints?: string[] }
  }
}

interface ComposeFile {
  services: Record<string, ComposeService>
  networks?: Record<string, { internal?: boolean } | null>
  secrets?: Record<string, unknown>
}

/**
 * Reads a compose file with its YAML merges, without the files that it is merged with. Images have the names that they
 * have while no variable is set.
 */
export function readCompose(file: string): ComposeFile {
  const compose = parse(readFileSync(join(root, file), 'utf8'), { merge: true, logLevel: 'error' }) as ComposeFile
  for (const service of Object.values(compose.services)) if (service.image) service.image = withDefaults(service.image)
  return compose
}

/** `${REDIS_IMAGE:-redis:8-alpine}` is redis:8-alpine. */
export function withDefaults(text: string): string {
  return text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
}

interface KeyOf {
  name: string
  key: string
  optional?: boolean
}

export interface Container {
  name: string
  image: string
  command?: string[]
  ports: { name: string; containerPort: number }[]
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string; optional?: boolean } }[]
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef?: KeyOf; configMapKeyRef?: KeyOf } }[]
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
  resources: { requests?: Record<string, string>; limits?: Record<string, string> }
  securityContext: Record<string, unknown>
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[]
}

interface Probe {
  httpGet?: { path: string; port: string }
  timeoutSeconds?: number
}

export interface PodSpec {
  terminationGracePeriodSeconds?: number
  automountServiceAccountToken?: boolean
  priorityClassName?: string
  securityContext?: Record<string, unknown>
  initContainers?: Container[]
  containers: Container[]
  volumes?: {
    name: string
    emptyDir?: { sizeLimit?: string }
    secret?: { secretName: string; defaultMode: number; items: { key: string; path: string }[] }
  }[]
}

/** Which pods an object means, by their labels. */
export interface Selector {
  matchLabels?: Record<string, string>
  matchExpressions?: { key: string; operator: string; values?: string[] }[]
}

interface Peer {
  podSelector?: Selector
  namespaceSelector?: unknown
  ipBlock?: { cidr: string; except?: string[] }
}

interface PolicyRule {
  from?: Peer[]
  to?: Peer[]
  ports?: { protocol: string; port: number }[]
}

/** What the checks read of an object of Kubernetes; types.ts of the package says the rest. */
export interface KubernetesObject {
  apiVersion: string
  kind: string
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  data?: Record<string, string>
  spec: {
    replicas?: number
    minReplicas?: number
    maxReplicas?: number
    minAvailable?: number
    maxUnavailable?: number
    scaleTargetRef?: { kind: string; name: string }
    metrics?: { type: string; pods?: { metric: { name: string } } }[]
    selector?: Selector & Record<string, unknown>
    clusterIP?: string
    ports?: { name: string; port: number; targetPort: string }[]
    template?: { metadata: { labels: Record<string, string> }; spec: PodSpec }
    podSelector?: Selector
    policyTypes?: string[]
    ingress?: PolicyRule[]
    egress?: PolicyRule[]
  }
}

export const KUBERNETES = 'infra/kubernetes/base'

/** Every object of the files of the base, without what kustomize makes. */
export function readKubernetes(): KubernetesObject[] {
  return kubernetesFiles()
    .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
    .flatMap((file) => {
      const documents = parseAllDocuments(readFileSync(join(root, KUBERNETES, file), 'utf8'))
      return documents.map((document) => {
        if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]?.message}`)
        return document.toJS() as KubernetesObject
      })
    })
}

/** Names of the files. */
export function kubernetesFiles(): string[] {
  return readdirSync(join(root, KUBERNETES)).sort()
}

/** The settings of `base`, or those in which an overlay differs. */
export function readSettings(folder: string): Record<string, string> {
  return parseEnv(readFileSync(join(root, 'infra/kubernetes', folder, 'settings.env'), 'utf8')) as Record<
    string,
    string
  >
}

export const NAME = 'app.kubernetes.io/name'

/** Whether a selector matches these labels; one without a condition matches all. */
export function matches(
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: Record<string, string>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator !== 'In') throw new Error(`the checks know no operator ${operator}`)
      return values.includes(labels[key] ?? '')
    })
  )
}

/** Whether the network policies let pods of one name reach a port of another's: both sides must agree. */
export function mayAsk(objects: readonly KubernetesObject[], from: string, to: string, port: number): boolean {
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy')
  const of = (name: string) =>
    policies.filter(({ spec }) => matches(spec.podSelector ?? {}, { [NAME]: name })).map(({ spec }) => spec)
  const names = (peers: Peer[] | undefined, name: string) =>
    peers?.some(
      ({ podSelector, namespaceSelector }) =>
        podSelector && !namespaceSelector && matches(podSelector, { [NAME]: name }),
    ) ?? false
  const hasPort = ({ ports }: PolicyRule) =>
    ports?.some((each) => each.protocol === 'TCP' && each.port === port) ?? true
  return (
    of(from).some(({ egress }) => egress?.some((rule) => names(rule.to, to) && hasPort(rule))) &&
    of(to).some(({ ingress }) => ingress?.some((rule) => names(rule.from, from) && hasPort(rule)))
  )
}

/** Bytes of `384m`, `384M`, `384Mi`, `1g`, `1G`, `1Gi`: each means powers of 1024 in its file. */
export function bytesOf(size: string): number {
  const [, number = '', unit = ''] = /^(\d+)([mMgG])i?$/.exec(size) ?? []
  if (number === '') throw new Error(`${size} is no size`)
  return Number(number) * (unit.toLowerCase() === 'm' ? 1024 ** 2 : 1024 ** 3)
}
