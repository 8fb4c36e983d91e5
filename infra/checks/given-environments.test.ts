// The lists of settings against the code that reads them, and against the files that give variables to processes.

import { globSync } from 'node:fs'
import { readActionsConfig } from '@portico/actions/config.ts'
import { readGatewayConfig } from '@portico/gateway/config.ts'
import { readImagesConfig } from '@portico/images/config.ts'
import { readRendererConfig } from '@portico/renderer/config.ts'
import { isGivenTo, SITE_SERVICES } from '@portico/shared/kit/config/process-environment.ts'
import { ALL_SERVICES } from '@portico/shared/kit/config/setting.ts'
import { SETTINGS } from '@portico/shared/kit/config/settings.ts'
import { describe, expect, test } from 'vitest'
import {
  type GivenEnvironment,
  readComposeEnvironments,
  readImageEnvironments,
  readManifestEnvironments,
} from './given-environments.ts'
import { root } from './sources.ts'

const READERS = {
  gateway: readGatewayConfig,
  renderer: readRendererConfig,
  images: readImagesConfig,
  actions: readActionsConfig,
}
const STARTER = 'web/build/create/starter'
const COMPOSE_FILES = globSync(
  ['docker-compose.yml', 'docker/compose.*.yml', 'infra/swarm/*.yml', `${STARTER}/docker-compose.yml`],
  { cwd: root },
)

/** Variables of sites in these files: the store of the sample site. */
const OF_SITE: ReadonlySet<string> = new Set(['DATABASE_URL', 'DATABASE_PASSWORD_FILE'])

/** What processes that are no service of Portico get, each by its own documentation. */
const OF_OTHERS: Readonly<Record<string, RegExp>> = {
  // Runs the script "assets" of the site.
  assets: /^(NODE_ENV|APP_DIR)$/,
  // The hosts of its certificates.
  caddy: /^(PUBLIC_ORIGINS|XDG_\w+_HOME)$/,
  grafana: /^GF_/,
  postgres: /^(POSTGRES_\w+|PGDATA)$/,
}

/** A sentence for each variable that a process should not get. */
function environmentFaults(given: readonly GivenEnvironment[]): string[] {
  return given.flatMap(({ file, process, names, hasSiteFiles }) => {
    const foreign = names.filter((name) => !mayHave(process, name))
    const runsSite = ['assets', ...SITE_SERVICES].includes(process)
    return [
      ...foreign.map((name) => `${file}: ${process} gets ${name}`),
      ...(hasSiteFiles && !runsSite ? [`${file}: ${process} gets variables of the site`] : []),
    ]
  })
}

function mayHave(process: string, name: string): boolean {
  const service = serviceOf(process)
  if (!service) return OF_OTHERS[process]?.test(name) ?? (/^redis-/.test(process) && name === 'NAME')
  // Other names than these would be settings with a wrong name.
  const isKnown = Object.hasOwn(SETTINGS, name) || isGivenTo('images', name) || OF_SITE.has(name)
  return isKnown && isGivenTo(service, name)
}

function serviceOf(process: string) {
  return ALL_SERVICES.find((service) => service === process)
}

test.each(ALL_SERVICES)('W5 %s reads the settings of its list, and no others', (service) => {
  const read = new Set<string>()
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get(_, name) {
        read.add(String(name))
        return undefined
      },
    },
  )
  READERS[service](environment, () => {})
  const listed = Object.entries(SETTINGS).filter(([, { services }]) => services.some((each) => each === service))
  const expected = listed.map(([name]) => name)
  // OpenTelemetry reads it itself.
  const elsewhere = ['OTEL_SERVICE_NAME']
  expect([...read, ...elsewhere].filter((name) => Object.hasOwn(SETTINGS, name)).sort()).toEqual(expected.sort())
})

describe('what files give to processes', () => {
  test('O3 W5 is known for all files', () => {
    expect(COMPOSE_FILES.length).toBeGreaterThan(9)
    const withDevelopment = readComposeEnvironments('docker/compose.dev.yml')
    expect(withDevelopment.filter(({ hasSiteFiles }) => hasSiteFiles).map((each) => each.process)).toEqual([
      ...['assets', 'renderer', 'actions'],
    ])
  })

  test.each(COMPOSE_FILES)('O3 W5 %s gives no process a variable of another', (file) => {
    expect(environmentFaults(readComposeEnvironments(file))).toEqual([])
  })

  test('O3 W5 the manifests give no process a variable of another', () => {
    const given = readManifestEnvironments()
    expect(new Set(given.map((each) => each.process))).toEqual(new Set([...ALL_SERVICES, 'redis']))
    expect(environmentFaults(given)).toEqual([])
  })

  test.each(['docker/Dockerfile', `${STARTER}/Dockerfile`])(
    'O3 W5 %s gives no service a variable of another',
    (file) => {
      const given = readImageEnvironments(file, ALL_SERVICES)
      for (const { names } of given) expect(names).toEqual(expect.arrayContaining(['PATH', 'NODE_ENV', 'APP_DIR']))
      expect(environmentFaults(given)).toEqual([])
    },
  )

  test('F3 W5 a variable of another process is found', () => {
    const given = (process: string, names: string[], hasSiteFiles = false): GivenEnvironment => ({
      file: 'a.yml',
      process,
      names,
      hasSiteFiles,
    })
    expect(
      environmentFaults([
        given('gateway', ['PUBLIC_ORIGINS', 'TZ', 'ACTION_KEYS', 'DATABASE_URL'], true),
        given('images', ['all of portico-settings', 'STATE_REDIS_URL', 'OTEL_EXPORTER_OTLP_HEADERS']),
        given('renderer', ['ACTION_KEYS', 'CDN_PURGE_URL', 'STACK_TOKNE'], true),
        given('actions', ['CDN_PURGE_URL', 'DATABASE_URL', 'CACHE_REDIS_URL'], true),
        given('assets', ['APP_DIR', 'STACK_TOKEN'], true),
        given('postgres', ['POSTGRES_USER', 'STACK_TOKEN']),
        given('redis-state-1', ['NAME', 'STACK_TOKEN']),
        given('unheard-of', ['NAME']),
      ]),
    ).toEqual([
      'a.yml: gateway gets ACTION_KEYS',
      'a.yml: gateway gets DATABASE_URL',
      'a.yml: gateway gets variables of the site',
      'a.yml: images gets all of portico-settings',
      'a.yml: images gets STATE_REDIS_URL',
      'a.yml: renderer gets CDN_PURGE_URL',
      'a.yml: renderer gets STACK_TOKNE',
      'a.yml: actions gets CACHE_REDIS_URL',
      'a.yml: assets gets STACK_TOKEN',
      'a.yml: postgres gets STACK_TOKEN',
      'a.yml: redis-state-1 gets STACK_TOKEN',
      'a.yml: unheard-of gets NAME',
    ])
  })
})
