// `--scale`: parsing and planning, without processes.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStackConfig } from '../config.ts'
import { UNSCALED } from '../testing.ts'
import { readOptions } from './options.ts'
import { planStack } from './plan.ts'
import { readScale, type Scale } from './scale.ts'

const production = { isDevelopment: false, environment: {} }

test('K3 the value of --scale follows as an argument or after "="', () => {
  expect(readOptions(['--json', '--scale', 'renderer=3', '--scale=images=2'])).toEqual({
    ...{ help: false, json: true, noBuild: false, dev: false },
    scale: ['renderer=3', 'images=2'],
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

async function plan(scale: Partial<Scale>, envFile = '') {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'portico-plan-'))
  try {
    writeFileSync(join(DATA_DIR, '.env'), envFile)
    const config = readStackConfig({ APP_DIR: DATA_DIR, DATA_DIR, PORT: '0', HOST: '0.0.0.0' }, () => {})
    const { replicas, publicPort, inherited, withoutEffect } = await planStack({
      ...config,
      isDevelopment: false,
      scale: { ...UNSCALED, ...scale },
    })
    return {
      replicas,
      publicPort,
      withoutEffect,
      environments: replicas.map(({ environmentOf }) => environmentOf(inherited)),
    }
  } finally {
    rmSync(DATA_DIR, { recursive: true })
  }
}

test('K3 every process has its own ports and name, and all have the same lists of addresses', async () => {
  const { replicas, publicPort, environments } = await plan({ renderer: 3, images: 2 })
  expect(replicas.map(({ name }) => name)).toEqual([
    ...['gateway', 'renderer 1', 'renderer 2', 'renderer 3', 'images 1', 'images 2', 'actions'],
  ])
  expect(new Set([publicPort, ...replicas.flatMap(({ port, innerPort }) => [port, innerPort])]).size).toBe(15)
  const listOf = (service: string, key: 'port' | 'innerPort') =>
    replicas.flatMap((each) => (each.service === service ? [`http://127.0.0.1:${each[key]}`] : [])).join(',')
  for (const environment of environments)
    expect(environment).toMatchObject({
      RENDERER_URL: listOf('renderer', 'port'),
      RENDERER_INNER_URL: listOf('renderer', 'innerPort'),
      IMAGES_URL: listOf('images', 'port'),
      IMAGES_INNER_URL: listOf('images', 'innerPort'),
      ACTIONS_URL: listOf('actions', 'port'),
      SITE_URL: `http://127.0.0.1:${environments[0]!.SITE_PORT}`,
    })
  expect(environments[0]).toMatchObject({ HOST: '0.0.0.0', PORT: `${publicPort}`, INNER_HOST: '127.0.0.1' })
  // The site sends requests to its own API at this port.
  for (const environment of environments) expect(environment.APP_PORT).toBe(`${publicPort}`)
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

test('F3 settings of the stack in .env have no effect, and are named', async () => {
  const { environments, withoutEffect } = await plan({}, 'PORT=1\nACTION_KEYS=k\nNODE_ENV=x\nMAX_CONNECTIONS=5\n')
  expect(withoutEffect).toEqual(['ACTION_KEYS', 'NODE_ENV'])
  expect(environments[0]?.ACTION_KEYS).not.toBe('k')
})

test('K3 without --scale there is one process of each service, without numbers', async () => {
  const { replicas } = await plan({})
  expect(replicas.map(({ name }) => name)).toEqual(['gateway', 'renderer', 'images', 'actions'])
})
