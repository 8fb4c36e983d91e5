// The manifests of infra/kubernetes/base against the types of Kubernetes and against the services that they run (O3). They
// are read as files: overlays.test.ts renders them.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readActionsConfig } from '@portico/actions/config.ts'
import { readGatewayConfig } from '@portico/gateway/config.ts'
import { readImagesConfig } from '@portico/images/config.ts'
import { readRendererConfig } from '@portico/renderer/config.ts'
import { SETTINGS } from '@portico/shared/kit/config/settings.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  bytesOf,
  KUBERNETES,
  kubernetesFiles,
  mayAsk,
  readCompose,
  readKubernetes,
  readSettings,
} from '../manifests.ts'
import { root } from '../sources.ts'
import { typeFaults } from './types.ts'

const SERVICES = ['gateway', 'renderer', 'images', 'actions'] as const
const REDIS = ['redis-cache', 'redis-state'] as const
const ADDRESSES = { renderer: 'RENDERER_URL', images: 'IMAGES_URL', actions: 'ACTIONS_URL' } as const
const READERS = {
  gateway: readGatewayConfig,
  renderer: readRendererConfig,
  images: readImagesConfig,
  actions: readActionsConfig,
}

const objects = readKubernetes()
const compose = readCompose('docker-compose.yml')
const find = (kind: string, name: string) => {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name)
  if (!found) throw new Error(`there is no ${kind} ${name}`)
  return found
}
const podOf = (name: string) => find(name === 'redis-state' ? 'StatefulSet' : 'Deployment', name).spec.template!.spec
const containerOf = (name: string) => podOf(name).containers[0]!
const settings = readSettings('base')
/** In place of the files that the cluster mounts. */
const fileOfPassword = join(mkdtempSync(join(tmpdir(), 'portico-password-')), 'password')
writeFileSync(fileOfPassword, 'p')
afterAll(() => rmSync(dirname(fileOfPassword), { recursive: true }))

describe('manifests of Kubernetes', () => {
  test('O3 every object matches its type and has no unknown field', () => {
    expect(typeFaults(objects)).toEqual('')
  })

  test('O3 a field that does not exist and a value of another type are found', () => {
    const deployment = find('Deployment', 'images')
    const withSpec = (more: Record<string, unknown>) => ({ ...deployment, spec: { ...deployment.spec, ...more } })
    const faults = typeFaults([withSpec({ replica: 2 }), withSpec({ minReadySeconds: 'ten' })])
    expect(faults).toMatch(/replica\W+ does not exist/)
    expect(faults).toContain("'string' is not assignable to type 'number'")
  })

  test('O3 the kustomization names every file of the folder, and makes the settings a ConfigMap', () => {
    const { resources, configMapGenerator } = parse(
      readFileSync(join(root, KUBERNETES, 'kustomization.yaml'), 'utf8'),
    ) as { resources: string[]; configMapGenerator: unknown }
    expect(configMapGenerator).toEqual([{ name: 'portico-settings', envs: ['settings.env'] }])
    expect([...resources, 'settings.env', 'kustomization.yaml'].sort()).toEqual(kubernetesFiles())
  })

  test.each(SERVICES)('O3 %s gets settings that it takes, each where its value is', (name) => {
    const environment: Record<string, string> = {}
    for (const { name: key, value, valueFrom } of containerOf(name).env ?? []) {
      const { secretKeyRef, configMapKeyRef } = valueFrom ?? {}
      if (secretKeyRef) expect(secretKeyRef).toMatchObject({ name: 'portico-secrets', key })
      if (configMapKeyRef) expect(configMapKeyRef).toEqual({ name: 'portico-settings', key, optional: true })
      const inFile = key.endsWith('_FILE') ? fileOfPassword : value
      const given = configMapKeyRef ? settings[key] : (inFile ?? 'k'.repeat(32))
      if (given !== undefined) environment[key] = given
    }
    const warnings: string[] = []
    const config = READERS[name](environment, (message) => warnings.push(message))
    expect(warnings).toEqual([])
    const { terminationGracePeriodSeconds: graceSeconds = 0 } = podOf(name)
    expect(graceSeconds * 1000).toBeGreaterThan(config.drainDeadlineMs)
    expect(config.drainDeadlineMs).toBeGreaterThan(config.drainDelayMs)
  })

  test('W5 every service takes from the file all settings of its list but addresses, ports, folders and secrets', () => {
    const isFixed = (name: string) =>
      /^(HOST|(SITE_|INNER_)?PORT|EDITOR|ACTION_KEYS|STACK_TOKEN)$/.test(name) ||
      /^(\w+_DIR|(RENDERER|IMAGES|ACTIONS|SITE)_URL|\w+_REDIS_\w+)$/.test(name) ||
      // A secret, and the name of one service for all.
      ['CDN_PURGE_AUTHORIZATION', 'OTEL_SERVICE_NAME'].includes(name)
    for (const service of SERVICES) {
      const taken = containerOf(service).env?.filter(({ valueFrom }) => valueFrom?.configMapKeyRef) ?? []
      const listed = Object.entries(SETTINGS).filter(([, { services }]) => services.some((each) => each === service))
      // An old renderer may be needed until the gateways are replaced (O12), longer than the others.
      const isOwn = (name: string) => service === 'renderer' && name === 'DRAIN_DEADLINE_MS'
      const expected = listed.map(([name]) => name).filter((name) => !isFixed(name) && !isOwn(name))
      expect(taken.map(({ name }) => name)).toEqual([...expected, 'OTEL_RESOURCE_ATTRIBUTES'])
    }
    // No line of the file is without effect.
    const names = new Set(SERVICES.flatMap((service) => containerOf(service).env?.map(({ name }) => name)))
    expect(Object.keys(settings).filter((name) => !names.has(name))).toEqual([])
  })

  test.each(SERVICES)('C5 O3 %s has the token of the stack, by which services notify each other', (name) => {
    const secretKeyRef = { name: 'portico-secrets', key: 'STACK_TOKEN' }
    expect(containerOf(name).env).toContainEqual({ name: 'STACK_TOKEN', valueFrom: { secretKeyRef } })
  })

  test('W5 the shared settings are known ones and hold no secret', () => {
    const secrets = ['ACTION_KEYS', 'STACK_TOKEN', 'CACHE_REDIS_URL', 'STATE_REDIS_URL', 'CDN_PURGE_AUTHORIZATION']
    expect(Object.keys(settings).filter((name) => !(name in SETTINGS) || secrets.includes(name))).toEqual([])
  })

  test.each(SERVICES)('O4 %s is probed on its inner port, where the probes are', (name) => {
    const { ports, startupProbe, livenessProbe, readinessProbe } = containerOf(name)
    expect(ports).toContainEqual({ name: 'inner', containerPort: Number(SETTINGS.INNER_PORT.fallback) })
    expect(ports).toContainEqual({ name: 'public', containerPort: Number(SETTINGS.PORT.fallback) })
    expect(startupProbe?.httpGet).toEqual({ path: '/livez', port: 'inner' })
    expect(livenessProbe?.httpGet).toEqual({ path: '/livez', port: 'inner' })
    expect(readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'inner' })
  })

  test.each([...SERVICES, ...REDIS])('O3 %s has the limits of compose and no right that it does not need', (name) => {
    const { resources, securityContext } = containerOf(name)
    const { mem_limit, cpus } = compose.services[name] ?? {}
    expect(bytesOf(resources.limits?.memory ?? '')).toBe(bytesOf(mem_limit ?? ''))
    expect(Number(resources.limits?.cpu)).toBe(cpus)
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const pod = podOf(name)
    expect(pod.automountServiceAccountToken).toBe(false)
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(pod.securityContext?.runAsUser).toBeGreaterThan(0)
  })

  test.each(SERVICES)('O3 %s is started by the command of its image, which has the flags of Node', (name) => {
    expect(containerOf(name).command).toBeUndefined()
  })

  test.each(REDIS)('O2 %s runs as under compose', (name) => {
    expect(containerOf(name).command).toEqual(compose.services[name]?.command)
    expect(containerOf(name).image).toBe(compose.services[name]?.image)
  })

  test.each(SERVICES)('G2 the name of %s leads to every replica at the ports that other services use', (name) => {
    const { spec } = find('Service', name)
    expect(spec.clusterIP).toBe('None')
    const ports = Object.fromEntries(containerOf(name).ports.map((port) => [port.name, port.containerPort]))
    for (const { port, targetPort } of spec.ports ?? []) expect(ports[targetPort]).toBe(port)
    // The default of the address, which no manifest sets.
    const setting: { fallback?: string } = SETTINGS[name === 'gateway' ? 'SITE_URL' : ADDRESSES[name]]
    const url = new URL(setting.fallback ?? '')
    expect(url.hostname).toBe(name)
    expect(spec.ports?.map(({ port }) => port)).toEqual(expect.arrayContaining([Number(url.port), 9090]))
  })

  test('O3 the volume of variants holds more than images writes into it', () => {
    const cache = podOf('images').volumes?.find((volume) => volume.name === 'cache')
    expect(bytesOf(cache?.emptyDir?.sizeLimit ?? '')).toBeGreaterThan(
      Number(SETTINGS.IMAGE_DISK_MB.fallback) * 1024 ** 2,
    )
  })

  test.each([
    ['gateway', 'renderer', 8080, true],
    ['gateway', 'renderer', 9090, true],
    ['gateway', 'images', 8080, true],
    ['gateway', 'images', 9090, true],
    ['gateway', 'actions', 8080, true],
    ['gateway', 'actions', 9090, true],
    ['gateway', 'redis-state', 6379, true],
    ['renderer', 'actions', 8080, true],
    ['renderer', 'gateway', 8081, true],
    ['renderer', 'redis-state', 6379, true],
    ['images', 'gateway', 8081, true],
    ['images', 'redis-cache', 6379, true],
    ['actions', 'gateway', 8081, true],
    ['actions', 'gateway', 9090, true],
    ['actions', 'renderer', 9090, true],
    ['actions', 'actions', 9090, true],
    ['actions', 'redis-state', 6379, true],
    ['gateway', 'redis-cache', 6379, false],
    ['renderer', 'redis-cache', 6379, false],
    ['actions', 'redis-cache', 6379, false],
    ['actions', 'images', 9090, false],
    ['images', 'redis-state', 6379, false],
    ['images', 'actions', 8080, false],
    ['images', 'renderer', 9090, false],
    ['images', 'gateway', 8080, false],
    ['renderer', 'gateway', 9090, false],
    ['redis-state', 'redis-cache', 6379, false],
    ['ingress', 'gateway', 8080, false],
  ] as const)('O3 the network policies let %s connect to %s at port %i: %s', (from, to, port, isAllowed) => {
    expect(mayAsk(objects, from, to, port)).toBe(isAllowed)
  })

  test('O3 a connection that no policy names is refused', () => {
    const { spec } = find('NetworkPolicy', 'nothing-else')
    expect(spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
  })
})
