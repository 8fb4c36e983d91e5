// Which process gets which variable.

import { expect, test } from 'vitest'
import { isGivenTo } from './process-environment.ts'
import { ALL_SERVICES } from './setting.ts'

const readers = (name: string) => ALL_SERVICES.filter((service) => isGivenTo(service, name))

test.each([
  ['ACTION_KEYS', ['renderer', 'actions']],
  ['CDN_PURGE_AUTHORIZATION', ['actions']],
  ['CACHE_REDIS_URL', ['images']],
  ['TRUSTED_PROXIES', ['gateway']],
  ['STACK_TOKEN', ALL_SERVICES],
])('W5 the setting %s reaches %j', (name, services) => {
  expect(readers(name)).toEqual(services)
})

test.each(['PATH', 'LC_TIME', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'OTEL_EXPORTER_OTLP_HEADERS'])(
  'W5 %s reaches every process',
  (name) => {
    expect(readers(name)).toEqual(ALL_SERVICES)
  },
)

test.each(['DATABASE_URL', 'SITE_SECRET', 'NODE_AUTH_TOKEN', 'npm_config__auth', 'PATHS', 'LC', 'toString'])(
  'F3 %s reaches code of the site only',
  (name) => {
    expect(readers(name)).toEqual(['renderer', 'actions'])
  },
)
