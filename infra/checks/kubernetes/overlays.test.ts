// What kubectl makes of the overlays and components of infra/kubernetes: types, rights, limits, probes, names, and the
// connections that network policies let pass (O3).

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readGatewayConfig } from '@portico/gateway/config.ts'
import { registerGauges } from '@portico/images/metrics.ts'
import { SETTINGS } from '@portico/shared/kit/config/settings.ts'
import { createMetrics } from '@portico/shared/kit/observe/metrics.ts'
import { isPublicAddress } from '@portico/shared/kit/testing.ts'
import { MAX_RESPONSE_HEAD_BYTES } from '@portico/shared/wire/constants.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type KubernetesObject, matches, mayAsk, NAME, readKubernetes, readSettings } from '../manifests.ts'
import { faultsOfNames, readSeries } from '../observability.ts'
import { policyFaults, workloadsOf } from './policy.ts'
import { decodeFaults, hasKubectl, KUSTOMIZE, renderComponents, renderOverlay } from './render.ts'
import { isCustom, typeFaults } from './types.ts'

const OVERLAYS = ['local', 'production'] as const
const ENTRANCES = ['traefik', 'gateway-api', 'ingress-nginx'] as const
/** Each component is in one of these, or in an overlay. */
const COMPONENTS = [...ENTRANCES, 'autoscaling'] as const
const SERVICES = ['gateway', 'renderer', 'images', 'actions']

const find = (objects: readonly KubernetesObject[], kind: string, name: string) => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name)
  if (!found) throw new Error(`there is no ${kind} ${name}`)
  return found
}
const settingsOf = (objects: readonly KubernetesObject[]) =>
  objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('portico-settings-'))!
/** The host that clients name, in whatever object the entrance has it. */
const hostsOf = (objects: readonly KubernetesObject[]) => [
  ...new Set([...JSON.stringify(objects).matchAll(/"(?:host|hostname)":"([^"]+)"/g)].map(([, host]) => host)),
]

describe.skipIf(!hasKubectl())('rendered overlays of Kubernetes', () => {
  const all: Record<string, KubernetesObject[]> = {}
  let production: KubernetesObject[] = []
  beforeAll(() => {
    for (const name of OVERLAYS) all[name] = renderOverlay(`overlays/${name}`)
    for (const name of COMPONENTS) all[name] = renderComponents([name])
    production = all.production!
  })

  test('O3 every object of every overlay and component matches its type', () => {
    const objects = new Map(
      Object.values(all).flatMap((list) => list.map((object) => [JSON.stringify(object), object])),
    )
    const given = [...objects.values()]
    const known = given.filter((object) => !isCustom(object))
    expect(typeFaults(known)).toEqual('')
    expect(decodeFaults(known)).toEqual([])
    const customKinds = given.filter(isCustom).map(({ kind }) => kind)
    // No types of these are here: see "What was run and what was not" of the page "Clusters".
    expect([...new Set(customKinds)].sort()).toEqual(['Gateway', 'HTTPRoute', 'PodMonitor', 'ServersTransport'])
  })

  test.each([...OVERLAYS, ...ENTRANCES])(
    'O3 %s has limits, probes, budgets and no right that it does not need',
    (name) => {
      expect(policyFaults(all[name]!)).toEqual([])
    },
  )

  test('O3 every component is rendered', () => {
    const { components } = parse(readFileSync(join(KUSTOMIZE, 'overlays/production/kustomization.yaml'), 'utf8')) as {
      components: string[]
    }
    const names = [...COMPONENTS, ...components.map((path) => basename(path))]
    expect([...new Set(names)].sort()).toEqual(readdirSync(join(KUSTOMIZE, 'components')).sort())
    // Both at a time are a fault of kustomize: the adapter contains the other.
    expect(() => renderComponents(['autoscaling', 'prometheus-adapter'])).toThrow('already')
  })

  test('O3 a quantity that kubectl cannot read is found', () => {
    const images = structuredClone(find(production, 'HorizontalPodAutoscaler', 'images'))
    Object.assign(images.spec.metrics![0]!, {
      resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '8q' } },
    })
    expect(decodeFaults([images])).toEqual([expect.stringContaining('quantities must match')])
  })

  test('O3 a missing limit, probe, budget or name is found', () => {
    const spoiled = structuredClone(production)
    const { pod } = workloadsOf(spoiled).find(({ name }) => name === 'renderer')!
    const [container] = pod.containers
    Object.assign(pod, { hostNetwork: true, priorityClassName: 'none', volumes: [{ name: 'tmp', emptyDir: {} }] })
    Object.assign(container!, { startupProbe: undefined, resources: { limits: { cpu: '1', memory: '1Gi' } } })
    Object.assign(container!.securityContext, { privileged: true, capabilities: { add: ['NET_ADMIN'] } })
    container!.envFrom = [{ configMapRef: { name: 'portico-settings' } }]
    find(spoiled, 'Deployment', 'gateway').spec.replicas = 2
    find(spoiled, 'Service', 'gateway').spec.ports![0]!.targetPort = 'sight'
    find(spoiled, 'PodDisruptionBudget', 'images').spec.selector = { matchLabels: { [NAME]: 'image' } }
    expect(policyFaults(spoiled)).toEqual([
      'Deployment renderer: hostNetwork',
      'Deployment renderer: tmp has no size limit',
      'Deployment renderer, container renderer: has capabilities',
      'Deployment renderer, container renderer: privileged',
      'Deployment renderer, container renderer: requests no cpu',
      'Deployment renderer, container renderer: requests no memory',
      'Deployment renderer, container renderer: has no startupProbe',
      'Deployment renderer: has no priority class',
      'Deployment renderer: no ConfigMap portico-settings',
      'Deployment renderer: portico-settings has no hash',
      'Deployment gateway: has an autoscaler and a number of replicas',
      'Deployment images: has 0 budgets for 2 replicas',
      'Service gateway: no pod has a port sight',
      'PodDisruptionBudget images: selects no pods',
    ])
  })

  test('O3 a changed setting replaces the pods of every service', () => {
    const namesOf = (settings: readonly string[]) => {
      const objects = renderComponents([], settings)
      const pods = workloadsOf(objects).filter(({ name }) => SERVICES.includes(name))
      return pods.map(({ pod }) => {
        const { valueFrom } = pod.containers[0]?.env?.find((each) => each.name === 'LOG_LEVEL') ?? {}
        return valueFrom?.configMapKeyRef?.name
      })
    }
    const [before, after] = [namesOf(['LOG_LEVEL=info']), namesOf(['LOG_LEVEL=debug'])]
    expect(new Set([...before, ...after]).size).toBe(2)
    expect([before.length, after.length]).toEqual([4, 4])
  })

  test.each(OVERLAYS)('W5 the settings of %s are known ones, which the gateway takes', (name) => {
    const { data = {} } = settingsOf(all[name]!)
    expect(data).toEqual({ ...readSettings('base'), ...readSettings(`overlays/${name}`) })
    expect(Object.keys(data).filter((key) => !(key in SETTINGS))).toEqual([])
    const warnings: string[] = []
    readGatewayConfig({ ...data, STACK_TOKEN: 'k'.repeat(32) }, (message) => warnings.push(message))
    expect(warnings).toEqual([])
  })

  test.each(OVERLAYS)('G6 %s believes no proxy in a range that others share', (name) => {
    for (const range of (settingsOf(all[name]!).data?.TRUSTED_PROXIES ?? '').split(',').filter(Boolean)) {
      const [address = '', bits = address.includes(':') ? '128' : '32'] = range.split('/')
      expect(Number(bits), range).toBeGreaterThanOrEqual(address.includes(':') ? 64 : 24)
    }
  })

  test.each([...ENTRANCES, 'production'])('O3 %s leads the host of the site to the gateway', (name) => {
    const { data = {} } = settingsOf(production)
    expect(hostsOf(all[name]!)).toEqual([new URL(data.PUBLIC_ORIGINS ?? '').hostname])
    const routes = all[name]!.filter(({ kind }) => ['Ingress', 'HTTPRoute'].includes(kind))
    expect(JSON.stringify(routes)).toMatch(
      /"service":\{"name":"gateway-public","port":\{"name":"public"\}\}|"backendRefs":\[\{"name":"gateway-public","port":80\}\]/,
    )
    // From the namespace of the controller; pods of other namespaces stay outside.
    const rules = all[name]!.filter(({ kind }) => kind === 'NetworkPolicy').flatMap(({ spec }) =>
      matches(spec.podSelector ?? {}, { [NAME]: 'gateway' }) ? (spec.ingress ?? []) : [],
    )
    const open = rules.filter(({ ports }) => ports?.some(({ port }) => port === 8080))
    expect(open.map(({ from }) => from)).toEqual([
      [
        {
          namespaceSelector: {
            matchLabels: {
              'kubernetes.io/metadata.name': expect.stringMatching(/^(traefik|envoy-gateway-system|ingress-nginx)$/),
            },
          },
        },
      ],
    ])
  })

  test('E7 ingress-nginx has room for the largest head of a response', () => {
    const { annotations = {} } = find(all['ingress-nginx']!, 'Ingress', 'portico').metadata
    const [, kibibytes] = /^(\d+)k$/.exec(annotations['nginx.ingress.kubernetes.io/proxy-buffer-size'] ?? '') ?? []
    expect(Number(kibibytes) * 1024).toBeGreaterThan(MAX_RESPONSE_HEAD_BYTES)
  })

  test('O3 autoscalers follow processor time, and images the queue of its encoders too', async () => {
    const scalers = production.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
    expect(scalers.map(({ spec }) => spec.scaleTargetRef?.name).sort()).toEqual(['gateway', 'images', 'renderer'])
    for (const { spec } of scalers)
      expect(spec.metrics?.[0]).toMatchObject({ type: 'Resource', resource: { name: 'cpu' } })
    const metric = find(production, 'HorizontalPodAutoscaler', 'images').spec.metrics?.[1]?.pods?.metric.name ?? ''

    const file = join(KUSTOMIZE, 'components/prometheus-adapter/adapter-values.yaml')
    const { rules } = parse(readFileSync(file, 'utf8')) as {
      rules: { custom: { seriesQuery: string; name: { as: string }; metricsQuery: string }[] }
    }
    expect(rules.custom.map(({ name }) => name.as)).toEqual([metric])
    const registry = createMetrics('images', 'none')
    registerGauges(registry, {
      memoryBytes: () => 0,
      queueWaiting: () => 3,
      queueRunning: () => 1,
      encodersLive: () => 1,
      storeAvailable: () => true,
    })
    const series = readSeries(await registry.metrics()).map((each) => ({
      ...each,
      // Added by the operator of Prometheus.
      labels: [...each.labels, 'namespace', 'pod'],
    }))
    const expressions = rules.custom.map(({ seriesQuery }) => ({ at: 'adapter', expression: seriesQuery }))
    expect(faultsOfNames(series, expressions)).toEqual([])
    expect(expressions[0]?.expression).toMatch(new RegExp(`^${metric}\\{`))
  })

  test('O7 the monitor reads the inner port of every pod of a service, under the names of the alerts', () => {
    const { spec } = find(production, 'PodMonitor', 'portico') as unknown as {
      spec: { selector: object; jobLabel: string; podMetricsEndpoints: { port: string; path: string }[] }
    }
    const pods = workloadsOf(production).filter(({ labels }) => matches(spec.selector, labels))
    expect(pods.map(({ labels }) => labels[spec.jobLabel]).sort()).toEqual([...SERVICES].sort())
    const [{ port, path }] = spec.podMetricsEndpoints as [{ port: string; path: string }]
    expect(path).toBe('/metrics')
    for (const { pod } of pods) expect(pod.containers[0]?.ports.map(({ name }) => name)).toContain(port)
  })

  test('A3 two replicas of actions share a database and replace each other without a pause', () => {
    const { replicas, strategy } = find(production, 'Deployment', 'actions').spec as {
      replicas?: number
      strategy?: object
    }
    expect([replicas, strategy]).toEqual([
      2,
      { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    ])
    const { pod } = workloadsOf(production).find(({ name }) => name === 'actions')!
    expect(pod.volumes?.find(({ name }) => name === 'data')).toEqual({ name: 'data', emptyDir: { sizeLimit: '1Gi' } })
    expect(production.filter(({ kind }) => kind === 'PersistentVolumeClaim')).toEqual([])
    const environment = Object.fromEntries((pod.containers[0]?.env ?? []).map((each) => [each.name, each]))
    expect(environment.DATABASE_URL?.valueFrom?.configMapKeyRef).toMatchObject({ key: 'DATABASE_URL' })
    expect(environment.DATABASE_PASSWORD_FILE?.value).toBe('/run/database/password')
    expect(JSON.stringify(production)).not.toMatch(/postgres:\/\/\w*:/)
    const { spec } = find(production, 'NetworkPolicy', 'actions-to-database')
    expect(spec.podSelector).toEqual({ matchLabels: { [NAME]: 'actions' } })
    expect(spec.egress?.map(({ ports }) => ports)).toEqual([[{ protocol: 'TCP', port: 5432 }]])
  })

  test('O3 local runs one replica of each service and no ingress', () => {
    const { local = [] } = all
    expect(workloadsOf(local).map(({ replicas }) => replicas)).toEqual([1, 1, 1, 1, 1, 1])
    expect(local.filter(({ kind }) => ['HorizontalPodAutoscaler', 'Ingress'].includes(kind))).toEqual([])
  })
})

describe('connections outside of the stack', () => {
  const policies = readKubernetes().filter(({ kind }) => kind === 'NetworkPolicy')
  const egressOf = (name: string) => find(policies, 'NetworkPolicy', name).spec.egress ?? []

  test('O3 names are resolved by the DNS of the cluster, over IPv4 and IPv6, and by the cache of the node', () => {
    const dns = egressOf('names-traces-figures').filter(({ ports }) => ports?.some(({ port }) => port === 53))
    expect(dns).toEqual([
      {
        to: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
            podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
          },
          { ipBlock: { cidr: '169.254.20.10/32' } },
          { ipBlock: { cidr: 'fd00::/8' } },
        ],
        ports: [
          { protocol: 'UDP', port: 53 },
          { protocol: 'TCP', port: 53 },
        ],
      },
    ])
  })

  test('O3 public addresses alone are reached by ranges, at the ports of the web', () => {
    const ranges = policies.flatMap(({ metadata, spec }) =>
      (spec.egress ?? []).flatMap(({ to = [], ports }) =>
        to.flatMap(({ ipBlock }) =>
          ipBlock ? [{ policy: metadata.name, ports: ports?.map(({ port }) => port), ...ipBlock }] : [],
        ),
      ),
    )
    const web = ranges.filter(({ policy }) => policy === 'public-addresses')
    expect(ranges.filter(({ ports }) => !ports?.includes(53))).toEqual(web)
    for (const { ports } of web) expect(ports).toEqual([80, 443])
    // SECURITY: each range that is left out is one that the address guard of images refuses.
    for (const { except = [] } of web) {
      expect(except.length).toBeGreaterThan(3)
      for (const range of except) expect(isPublicAddress(range.split('/')[0] ?? ''), range).toBe(false)
    }
  })

  test('O3 a rule without ports, and a connection from a namespace that no rule names, does not exist', () => {
    for (const { metadata, spec } of policies)
      for (const { ports } of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
        expect(ports?.length, metadata.name).toBeGreaterThan(0)
    expect(mayAsk(policies, 'someone', 'gateway', 8080)).toBe(false)
  })
})
