// `--scale`: parsing and planning, without processes.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseFromStack } from '@portico/shared/kit/config/from-stack.ts'
import { SETTINGS, type SettingName } from '@portico/shared/kit/config/settings.ts'
import { expect, test } from 'vitest'
import { readStackConfig } from '../config.ts'
import { UNSCALED } from '../testing.ts'
import { readOptions } from './options.ts'
import { planStack } from './plan-stack.ts'
import { readScale, type Scale } from './scale.ts'

const production = { isDevelopment: false, environment: {} }

test('K3 the value of --scale follows as an argument or after "="', () => {
  expect(readOptions(['--json', '--scale', 'renderer=3', '--scale=images=2'])).toEqual({
    ...{ help: false, json: true, noBuild: false, dev: false },
    scale: ['renderer=3', 'images=2'],
    host: undefined,
    unknown: [],
  })
  expect(readOptions(['--scale', '--dev'])).toMatchObject({ scale: [''], dev: true })
  expect(readOptions(['--scale'])).toMatchObject({ scale: [''] })
  expect(readOptions(['renderer=2', '--scaled'])).toMatchObject({ unknown: ['renderer=2', '--scaled'] })
})

test('K3 --scale names how many processes each service has', () => {
  expect(readScale([], production)).toEqual(UNSCALED)
  expect(readScale(['renderer=3', 'images=2', 'actions=1'], production)).toEqual({
    ...UNSCALED,
    renderer: 3,
    images: 2,
  })
  const environment = { STATE_REDIS_URL: 'redis://127.0.0.1:6379' }
  expect(readScale(['actions=2'], { ...production, environment })).toEqual({ ...UNSCALED, actions: 2 })
})

test.each([
  ['', '--scale "": must be renderer, images or actions, "=", and a whole number from 1 to 64'],
  ['renderer', '--scale renderer: must be'],
  ['renderer=', '--scale renderer=: must be'],
  ['renderer=0', '--scale renderer=0: must be'],
  ['renderer=65', '--scale renderer=65: must be'],
  ['renderer=1e1', '--scale renderer=1e1: must be'],
  ['renderer=2=3', '--scale renderer=2=3: must be'],
  ['toString=2', '--scale toString=2: must be'],
  ['actions=2', '--scale actions=2: several actions processes need a Redis for submissions: set STATE_REDIS_URL'],
  ['gateway=1', '--scale gateway=1: the gateway cannot be scaled, because one process listens on the public port'],
])('K3 --scale %s is refused by name', (value, message) => {
  expect(() => readScale([value], production)).toThrow(message)
})

test('K3 all bad values of --scale are reported together', () => {
  expect(() => readScale(['renderer=2', 'renderer=3', 'images=x'], production)).toThrow(
    /^--scale renderer=3: renderer is given twice\n--scale images=x: must be [^\n]+$/,
  )
})

test('K3 --scale is refused under development', () => {
  expect(() => readScale(['renderer=2'], { ...production, isDevelopment: true })).toThrow('--scale: not under dev')
  expect(readScale([], { ...production, isDevelopment: true })).toEqual(UNSCALED)
})

async function plan(scale: Partial<Scale>, envFile = '', more: Record<string, string> = {}) {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'portico-plan-'))
  try {
    writeFileSync(join(DATA_DIR, '.env'), envFile)
    const config = readStackConfig({ APP_DIR: DATA_DIR, DATA_DIR, PORT: '0', HOST: '0.0.0.0', ...more }, () => {})
    const { replicas, publicPort, inherited, ofFiles, withoutEffect } = await planStack({
      ...config,
      isDevelopment: false,
      scale: { ...UNSCALED, ...scale },
    })
    return {
      replicas,
      publicPort,
      ofFiles,
      withoutEffect,
      environments: replicas.map(({ environmentOf }) => environmentOf(inherited)),
    }
  } finally {
    rmSync(DATA_DIR, { recursive: true })
  }
}

test('K3 every process has its own ports and name, and the same lists of addresses as the others that read them', async () => {
  const { replicas, publicPort, environments } = await plan({ renderer: 3, images: 2 })
  expect(replicas.map(({ name }) => name)).toEqual([
    ...['gateway', 'renderer 1', 'renderer 2', 'renderer 3', 'images 1', 'images 2', 'actions'],
  ])
  expect(new Set([publicPort, ...replicas.flatMap(({ port, innerPort }) => [port, innerPort])]).size).toBe(15)
  const listOf = (service: string, key: 'port' | 'innerPort') =>
    replicas.flatMap((each) => (each.service === service ? [`http://127.0.0.1:${each[key]}`] : [])).join(',')
  const SITE_URL = `http://127.0.0.1:${environments[0]!.SITE_PORT}`
  const ofRenderer = { RENDERER_URL: listOf('renderer', 'port') }
  const ofImages = { IMAGES_URL: listOf('images', 'port') }
  const ACTIONS_URL = listOf('actions', 'port')
  const expected = {
    gateway: { SITE_URL, ACTIONS_URL, ...ofRenderer, ...ofImages },
    renderer: { SITE_URL, ACTIONS_URL },
    images: { SITE_URL },
    actions: { SITE_URL, ACTIONS_URL, ...ofRenderer },
  }
  for (const [at, { service }] of replicas.entries()) expect(environments[at]).toMatchObject(expected[service])
  expect(environments[0]).toMatchObject({ HOST: '0.0.0.0', PORT: `${publicPort}` })
  // The site sends requests to its own API at this port.
  const innerUrls = Object.fromEntries(
    ['gateway', 'renderer', 'images', 'actions'].map((service) => [service, listOf(service, 'innerPort').split(',')]),
  )
  for (const { PORTICO_STACK } of environments)
    expect(parseFromStack(PORTICO_STACK)).toEqual({
      ...{ isDevelopment: false, innerHost: '127.0.0.1', appPort: publicPort, innerUrls },
    })
  for (const [at, { port, innerPort }] of replicas.entries())
    if (at > 0)
      expect(environments[at]).toMatchObject({ HOST: '127.0.0.1', PORT: `${port}`, INNER_PORT: `${innerPort}` })
})

test('F3 secrets of the site in .env reach renderer and actions only, settings every service', async () => {
  const { environments } = await plan({}, 'PAYMENT_KEY=secret\nMAX_CONNECTIONS=500\n')
  const [gateway, renderer, images, actions] = environments
  expect([gateway, renderer, images, actions].map((environment) => environment?.PAYMENT_KEY)).toEqual([
    ...[undefined, 'secret', undefined, 'secret'],
  ])
  for (const environment of environments) expect(environment.MAX_CONNECTIONS).toBe('500')
})

test('F3 W5 each process gets its own settings, what every process gets, and the variables of the site where its code runs', async () => {
  const keys = { ACTION_KEYS: 'a'.repeat(32), STACK_TOKEN: 't'.repeat(32), CDN_PURGE_AUTHORIZATION: 'Bearer c' }
  const stores = { CACHE_REDIS_URL: 'redis://:c@cache', STATE_REDIS_URL: 'redis://:s@state' }
  const others = {
    SITE_SECRET: 'hush',
    NODE_AUTH_TOKEN: 'npm',
    PATH: '/bin',
    LC_ALL: 'C',
    OTEL_RESOURCE_ATTRIBUTES: 'a=b',
  }
  const given = { ...keys, ...stores, ...others, TRUSTED_PROXIES: '10.0.0.1' }
  const { replicas, environments } = await plan({}, 'TZ=UTC\nPAYMENT_KEY=secret\n', given)
  const names = [...Object.keys(given), 'TZ', 'PAYMENT_KEY']
  const every = ['STACK_TOKEN', 'PATH', 'LC_ALL', 'OTEL_RESOURCE_ATTRIBUTES']
  const ofSite = ['ACTION_KEYS', 'STATE_REDIS_URL', 'SITE_SECRET', 'NODE_AUTH_TOKEN', 'TZ', 'PAYMENT_KEY']
  const expected = {
    gateway: [...every, 'STATE_REDIS_URL', 'TRUSTED_PROXIES'],
    renderer: [...every, ...ofSite],
    images: [...every, 'CACHE_REDIS_URL'],
    actions: [...every, ...ofSite, 'CDN_PURGE_AUTHORIZATION'],
  }
  for (const [at, { service }] of replicas.entries())
    expect(names.filter((name) => environments[at]?.[name] !== undefined).sort(), service).toEqual(
      expected[service].sort(),
    )
  // SECURITY: nothing else either, whatever the stack adds.
  const ofList = (name: string) => (SETTINGS[name as SettingName]?.services as readonly string[]) ?? []
  for (const [at, { service }] of replicas.entries())
    expect(
      Object.keys(environments[at]!).filter((name) => !ofList(name).includes(service) && !names.includes(name)),
    ).toEqual(['PORTICO_STACK', 'NODE_ENV', 'MALLOC_ARENA_MAX'])
})

test('F3 the names that the files have are known, for one warning of names near to a setting', async () => {
  const { ofFiles } = await plan({}, 'RENDERER_URI=x\nHOST=y\n')
  expect(ofFiles).toEqual(['RENDERER_URI'])
})

test('F3 settings of the stack in .env have no effect, and are named', async () => {
  const { environments, withoutEffect } = await plan({}, 'PORT=1\nACTION_KEYS=k\nNODE_ENV=x\nMAX_CONNECTIONS=5\n')
  expect(withoutEffect).toEqual(['ACTION_KEYS', 'NODE_ENV'])
  expect(environments[0]?.ACTION_KEYS).not.toBe('k')
})

test('K3 without --scale there is one process of each service, without numbers', async () => {
  const { replicas } = await plan({})
  expect(replicas.map(({ name }) => name)).toEqual(['gateway', 'renderer', 'images', 'actions'])
})

test('O1 the processes of a stack have one arena of memory each, unless the environment says otherwise', async () => {
  const arenas = async (given: Record<string, string>) =>
    (await plan({}, '', given)).environments.map((environment) => environment.MALLOC_ARENA_MAX)
  expect(await arenas({})).toEqual(Array(4).fill('1'))
  expect(await arenas({ MALLOC_ARENA_MAX: '4' })).toEqual(Array(4).fill('4'))
})
