import { fromStack } from '@portico/shared/kit/config/from-stack.ts'
import { describe, expect, it } from 'vitest'
import { readGatewayConfig } from './config.ts'

const MEBIBYTE = 1024 * 1024

describe('the memory for pages', () => {
  it.each([
    ['a container of 384 MiB', 384 * MEBIBYTE, {}, 64],
    ['a container of 1000 MiB', 1000 * MEBIBYTE, {}, 166],
    ['a machine without a limit', 2 ** 64, {}, 64],
    ['a machine whose limit is unknown', 0, {}, 64],
    ['a setting', 384 * MEBIBYTE, { GATEWAY_CACHE_MB: '8' }, 8],
    ['a setting that turns the cache off', 384 * MEBIBYTE, { GATEWAY_CACHE_MB: '0' }, 0],
  ])('C7 is a sixth of the memory limit, or that of the setting: %s', (_name, limitBytes, environment, expected) => {
    const { cacheBytes } = readGatewayConfig(environment, () => {}, limitBytes)
    expect(cacheBytes).toBe(expected * MEBIBYTE)
  })
})

describe('workers', () => {
  it.each([
    ['one processor', 1, {}, 1],
    ['three processors', 3, {}, 3],
    ['many processors', 64, {}, 4],
    ['a setting', 2, { GATEWAY_WORKERS: '8' }, 8],
    ['a setting under development', 2, { GATEWAY_WORKERS: '3', ...fromStack({ isDevelopment: true }) }, 1],
  ])(
    'O3 are as many as the processors of the container, at most 4, or those of the setting: %s',
    (_name, cpus, environment, expected) => {
      expect(readGatewayConfig(environment, () => {}, 0, cpus).workers).toBe(expected)
    },
  )

  it.each([
    [384, 1],
    [640, 2],
    [896, 4],
  ])('O3 are no more than fit into %i MiB of memory', (limitMb, expected) => {
    expect(readGatewayConfig({}, () => {}, limitMb * MEBIBYTE, 4).workers).toBe(expected)
  })

  it.each(['0', '9', '1.5', 'auto'])('W5 GATEWAY_WORKERS=%s is refused', (GATEWAY_WORKERS) => {
    expect(() => readGatewayConfig({ GATEWAY_WORKERS }, () => {})).toThrow('GATEWAY_WORKERS')
  })
})

it.each([
  ['', []],
  ['backend, 10.0.0.5:3000,[::1]:80', ['backend', '10.0.0.5:3000', '[::1]:80']],
])('X4 REWRITE_INNER_HOSTS="%s" names hosts of rewrites, with or without a port', (value, hosts) => {
  expect(readGatewayConfig({ REWRITE_INNER_HOSTS: value }, () => {}).rewriteInnerHosts).toEqual(hosts)
})

it.each(['http://backend', 'backend/x', 'a b', '10.0.0.0/8', '*'])(
  'X4 REWRITE_INNER_HOSTS="%s" is refused',
  (value) => {
    expect(() => readGatewayConfig({ REWRITE_INNER_HOSTS: value }, () => {})).toThrow(
      'must be hosts, with or without a port',
    )
  },
)
