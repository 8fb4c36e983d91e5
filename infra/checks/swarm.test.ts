// The stack file of Swarm against compose, whose services it runs (O3).

import { SETTINGS, type SettingName } from '@portico/shared/kit/config/settings.ts'
import { NODE_FLAGS } from '@portico/stack/node-flags.ts'
import { describe, expect, test } from 'vitest'
import { bytesOf, readCompose } from './manifests.ts'

const SERVICES = ['gateway', 'renderer', 'images', 'actions'] as const
const REDIS = ['redis-cache', 'redis-state'] as const
const compose = readCompose('docker-compose.yml')
const swarm = readCompose('infra/swarm/stack.yml')
const oneVolume = readCompose('infra/swarm/one-volume.yml')
const postgres = readCompose('infra/swarm/postgres.yml')
const of = (name: string) => {
  const here = swarm.services[name]
  const there = compose.services[name]
  if (!here || !there) throw new Error(`${name} is not in both files`)
  return { here, there }
}

describe('the stack file of Swarm', () => {
  test('O3 has the services and networks of compose', () => {
    // Passwords are secrets of the cluster here, made by infra/swarm/secrets.sh.
    const { 'redis-passwords': _ofCompose, ...services } = compose.services
    expect(Object.keys(swarm.services)).toEqual(Object.keys(services))
    for (const [name, network] of Object.entries(compose.networks ?? {}))
      expect(swarm.networks?.[name]?.internal, name).toBe(network?.internal)
  })

  test.each([...SERVICES, ...REDIS])('O3 %s has the limits, networks and borders of compose', (name) => {
    const { here, there } = of(name)
    const limits = here.deploy?.resources?.limits
    expect(bytesOf(limits?.memory ?? '')).toBe(bytesOf(there.mem_limit ?? ''))
    expect(Number(limits?.cpus)).toBe(there.cpus)
    expect(limits?.pids).toBe(there.pids_limit)
    expect(here.networks).toEqual(there.networks)
    const borders = { read_only: true, init: true, cap_drop: ['ALL'] }
    // An old renderer may be needed until the gateways are replaced (O12).
    expect(here).toMatchObject({ ...borders, stop_grace_period: name === 'renderer' ? '310s' : '20s' })
    expect(there).toMatchObject({ ...borders, stop_grace_period: '20s' })
    expect(here.deploy?.endpoint_mode).toBe('dnsrr')
  })

  test.each(SERVICES)('W5 %s has the settings of compose, and secrets that it reads', (name) => {
    const { here, there } = of(name)
    const given = Object.keys(here.environment ?? {})
    const inSecrets = new Set(['STACK_TOKEN', 'ACTION_KEYS'])
    expect(given).toEqual(
      expect.arrayContaining(Object.keys(there.environment ?? {}).filter((key) => !inSecrets.has(key))),
    )
    for (const secret of here.secrets ?? []) {
      // The file is a setting.
      if (typeof secret === 'object') continue
      const setting = secret.replace('portico_', '').toUpperCase() as SettingName
      expect(SETTINGS[setting].services).toContain(name)
      expect(swarm.secrets).toHaveProperty(secret, { external: true })
      expect(here.command?.join(' ')).toContain(`${setting}="$$(cat /run/secrets/${secret})"`)
    }
  })

  test.each(SERVICES)('O3 %s starts Node as its image does', (name) => {
    const own = ['exec node', ...NODE_FLAGS[name], `/app/services/${name}/main.js`].join(' ')
    expect(of(name).here.command?.at(-1)).toMatch(new RegExp(` ${own}$`))
  })

  test.each(SERVICES)('C5 O3 %s has the token of the stack, by which services notify each other', (name) => {
    const { command, secrets } = of(name).here
    expect(secrets).toContain('portico_stack_token')
    expect(command?.at(-1)).toMatch(/^STACK_TOKEN="\$\$\(cat \/run\/secrets\/portico_stack_token\)" /)
  })

  test.each(['renderer', 'images', 'actions'] as const)(
    'O5 of %s a new replica starts before an old one stops',
    (name) => {
      expect(of(name).here.deploy?.update_config).toMatchObject({ order: 'start-first', failure_action: 'rollback' })
    },
  )

  test('G2 every address leads to all tasks', () => {
    for (const name of SERVICES)
      for (const [key, value] of Object.entries(of(name).here.environment ?? {}))
        if (/^(RENDERER|IMAGES|ACTIONS|SITE)_URL$/.test(key)) expect(value).toMatch(/^http:\/\/tasks\.\w+:808[01]$/)
  })

  test.each(REDIS)('O2 %s runs as under compose', (name) => {
    const { here, there } = of(name)
    expect([here.image, here.command]).toEqual([there.image, there.command])
  })

  test('O3 a service with data stays on the node of its volume, with each file that says where the data is', () => {
    for (const services of [swarm.services, oneVolume.services, postgres.services])
      for (const [name, { volumes = [], deploy }] of Object.entries(services)) {
        const keeps = volumes.some((volume) => Object.hasOwn(volume as object, 'source'))
        expect(deploy?.placement?.constraints ?? [], name).toEqual(keeps ? ['node.labels.portico.state == true'] : [])
      }
  })
})

describe('the state in three Redis with Sentinels, under Swarm', () => {
  const { services, secrets } = readCompose('infra/swarm/sentinel.yml')
  const usersOf = (command: string[] = []) => (command[2] ?? '').split('\n').filter((line) => line.startsWith('user '))
  const numbers = ['1', '2', '3'] as const

  test('O2 has the users of one server, and that of replicas and Sentinels', () => {
    const users = usersOf(swarm.services['redis-state']?.command)
    expect(users.length).toBe(5)
    for (const at of numbers)
      expect(usersOf(services[`redis-state-${at}`]?.command)).toEqual([
        ...users,
        expect.stringMatching(/^user replication on #\$\$replication resetchannels &\* -@all /),
      ])
    expect(secrets).toHaveProperty('redis_replication')
  })

  test.each(numbers)('O3 number %s of Redis and Sentinel is on its own node, with limits and borders', (at) => {
    for (const kind of ['state', 'sentinel']) {
      const { deploy, volumes, ...service } = services[`redis-${kind}-${at}`]!
      expect(service).toMatchObject({
        read_only: true,
        init: true,
        cap_drop: ['ALL'],
        networks: ['state'],
        user: 'redis',
      })
      expect(service.environment).toEqual({ NAME: `redis-${kind}-${at}` })
      expect(service.image).toBe(swarm.services['redis-state']?.image)
      expect(volumes?.[0]).toMatchObject({ source: `redis-${kind}-${at}`, target: '/data' })
      expect(deploy?.placement?.constraints).toEqual([`node.labels.portico.redis == ${at}`])
      expect(deploy?.endpoint_mode).toBe('dnsrr')
      expect(deploy?.resources?.limits).toMatchObject({ pids: 64 })
    }
    const memory = services[`redis-state-${at}`]?.deploy?.resources?.limits?.memory
    expect(memory).toBe(swarm.services['redis-state']?.deploy?.resources?.limits?.memory)
  })

  test('O3 the services with a state store find the master through all Sentinels', () => {
    const hosts = numbers.map((at) => `redis-sentinel-${at}`).join(',')
    for (const [name, { environment }] of Object.entries(swarm.services))
      if (environment?.STATE_REDIS_URL)
        expect(services[name]?.environment?.STATE_REDIS_URL).toBe(`redis+sentinel://${name}@${hosts}/portico`)
    expect(services['redis-state']?.deploy?.replicas).toBe(0)
  })
})

describe('where actions keeps data under Swarm', () => {
  const actions = swarm.services.actions
  const targets = (volumes: unknown[] = []) => volumes.map((volume) => (volume as { target: string }).target)

  test('O3 is said by one of two files: the stack file alone has no /data and no number of replicas', () => {
    expect(targets(actions?.volumes)).toEqual(['/tmp'])
    expect(actions?.deploy?.replicas).toBeUndefined()
  })

  test('O3 is one volume for one replica, or PostgreSQL for two on any nodes', () => {
    const { actions: single } = oneVolume.services
    expect([targets(single?.volumes), single?.deploy?.replicas]).toEqual([['/data'], 1])
    const { actions: many } = postgres.services
    expect([targets(many?.volumes), many?.deploy?.replicas]).toEqual([['/data'], 2])
  })

  test('O2 PostgreSQL runs as under compose, reached by actions only', () => {
    const layer = readCompose('docker/compose.postgres.yml')
    const [here, there] = [postgres.services.postgres!, layer.services.postgres!]
    for (const field of [
      'image',
      'user',
      'read_only',
      'init',
      'cap_drop',
      'environment',
      'networks',
      'stop_grace_period',
    ] as const)
      expect(here[field], field).toEqual(there[field])
    const limits = here.deploy?.resources?.limits
    expect([bytesOf(limits?.memory ?? ''), limits?.pids]).toEqual([bytesOf(there.mem_limit ?? ''), there.pids_limit])
    for (const file of [postgres, layer]) {
      expect(file.networks).toMatchObject({ database: { internal: true } })
      const { DATABASE_URL = '', DATABASE_PASSWORD_FILE } = file.services.actions?.environment ?? {}
      expect(DATABASE_URL).toContain('postgres://site@postgres:5432/site')
      expect(DATABASE_PASSWORD_FILE).toBe(here.environment?.POSTGRES_PASSWORD_FILE)
      const reached = Object.entries(file.services).filter(([, { networks }]) => networks?.includes('database'))
      expect(reached.map(([name]) => name).sort()).toEqual(['actions', 'postgres'])
    }
    expect(here.secrets).toEqual(postgres.services.actions?.secrets)
    expect(postgres.secrets).toEqual({ database: { external: true, name: 'portico_database' } })
  })
})
