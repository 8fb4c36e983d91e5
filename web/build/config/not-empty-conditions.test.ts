import { expect, it } from 'vitest'
import { parseSiteConfig } from './config.ts'
import { withNotEmptyConditions } from './route-rules.ts'

it('X5 no condition of a rule holds for an empty value, and an empty value of a condition is none', () => {
  const has = [
    { type: 'query', key: 'a', value: '' },
    { type: 'host', value: 'b' },
  ]
  const rule = { source: '/a', has, missing: [{ type: 'cookie', key: 'c', value: 'd' }] }
  const headers = [{ ...rule, headers: [{ key: 'x-a', value: 'b' }] }]
  const rewrites = { beforeFiles: [{ ...rule, destination: '/b' }] }
  const redirects = [
    { ...rule, destination: '/b', permanent: true },
    { source: '/c', destination: '/d', permanent: true },
  ]
  const config = withNotEmptyConditions(parseSiteConfig({ headers, rewrites, redirects }))
  const wanted = {
    has: [
      { type: 'query', key: 'a', notEmpty: true },
      { type: 'host', value: 'b' },
    ],
    missing: [{ type: 'cookie', key: 'c', value: 'd', notEmpty: true }],
  }
  expect([config.headers, config.rewrites]).toMatchObject([[wanted], [wanted]])
  expect(config.redirects).toMatchObject([wanted, {}])
  expect(config.redirects[1]).not.toHaveProperty('has')
})
