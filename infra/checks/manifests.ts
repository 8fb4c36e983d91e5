// Reads the files by which orchestrators run the stack: compose, Swarm, Kubernetes.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { root } from './sources.ts'

/** What the checks read of a compose file's service; `deploy` only under Swarm. */
export interface ComposeService {
  image?: string
  command?: string[]
  environment?: Record<string, string>
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
  cpus?: number
  stop_grace_period?: string
  deploy?: {
    endpoint_mode?: string
    mode?: string
    replicas?: number
    resources?: { limits?: { cpus?: string; memory?: string } }
    update_config?: { order?: string; failure_action?: string }
    placement?: { constraints?: string[] }
  }
}

export interface ComposeFile {
  services: Record<string, ComposeService>
  networks?: Record<string, { internal?: boolean } | null>
  secrets?: Record<string, unknown>
}

/** Reads a compose file with its YAML merges, without the files that it is merged with. */
export function readCompose(file: string): ComposeFile {
  return parse(readFileSync(join(root, file), 'utf8'), { merge: true }) as ComposeFile
}

interface Container {
  name: string
  image: string
  command?: string[]
  ports: { name: string; containerPort: number }[]
  envFrom?: { configMapRef?: { name: string } }[]
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } }[]
  livenessProbe: Probe
  readinessProbe: Probe
  resources: { requests: Record<string, string>; limits: Record<string, string> }
  securityContext: Record<string, unknown>
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[]
}

interface Probe {
  httpGet?: { path: string; port: string }
  timeoutSeconds?: number
}

interface PodSpec {
  terminationGracePeriodSeconds?: number
  automountServiceAccountToken?: boolean
  securityContext: Record<string, unknown>
  containers: Container[]
  volumes?: {
    name: string
    secret?: { secretName: string; defaultMode: number; items: { key: string; path: string }[] }
  }[]
}

interface Peer {
  podSelector?: { matchLabels?: Record<string, string> }
  namespaceSelector?: unknown
  ipBlock?: { cidr: string }
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
  metadata: { name: string; labels?: Record<string, string> }
  data?: Record<string, string>
  spec: {
    replicas?: number
    minReplicas?: number
    minAvailable?: number
    scaleTargetRef?: { name: string }
    selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>
    clusterIP?: string
    ports?: { name: string; port: number; targetPort: string }[]
    template?: { metadata: { labels: Record<string, string> }; spec: PodSpec }
    podSelector?: { matchLabels?: Record<string, string> }
    policyTypes?: string[]
    ingress?: PolicyRule[]
    egress?: PolicyRule[]
  }
}

export const KUBERNETES = 'infra/kubernetes'

/** Every object of the folder's files but the kustomization. */
export function readKubernetes(): KubernetesObject[] {
  return kubernetesFiles()
    .filter((file) => file !== 'kustomization.yaml')
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

const NAME = 'app.kubernetes.io/name'

/** Whether the network policies let pods of one name reach a port of another's: both sides must agree. */
export function mayAsk(objects: readonly KubernetesObject[], from: string, to: string, port: number): boolean {
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy')
  const of = (name: string) =>
    policies.filter(({ spec }) => (spec.podSelector?.matchLabels?.[NAME] ?? name) === name).map(({ spec }) => spec)
  const names = (peers: Peer[] | undefined, name: string) =>
    peers?.some((peer) => peer.podSelector?.matchLabels?.[NAME] === name) ?? false
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
