// Values of the site that services read at start.

import { describe, expect, test } from 'vitest'
import type { EnvRule, PublicEnvRule } from '../../wire/build-output.ts'
import { provideCodeEnv, readSiteEnvironment } from './site-environment.ts'

const URL_RULE = 'an absolute URL (publicEnv of portico.config.ts)'
const SOURCES =
  '; set it in the environment; portico dev and portico start also read .env.local of the app folder, tests have test.env of vitest.config.ts'

test('O8 returns each declared value in its type, its default, or null if the value is optional and unset', () => {
  const publicEnv: Record<string, PublicEnvRule> = {
    NAME: { type: 'string', default: 'Fieldbook' },
    LIMIT: { type: 'number' },
    IS_OPEN: { type: 'boolean' },
    SUPPORT_URL: { type: 'url', optional: true },
    EMPTY: { type: 'string', optional: true },
  }
  const env: Record<string, EnvRule> = {
    PAYMENT_KEY: { type: 'string' },
    POOL_SIZE: { type: 'number', optional: true },
    MAIL_URL: { type: 'url', optional: true },
  }
  const environment = { LIMIT: '7', IS_OPEN: 'false', EMPTY: '', PAYMENT_KEY: 'sk', POOL_SIZE: '5', OTHER: 'x' }
  const read = readSiteEnvironment({ publicEnv, env }, environment)
  expect(read.publicEnv.values).toEqual({
    NAME: 'Fieldbook',
    LIMIT: 7,
    IS_OPEN: false,
    SUPPORT_URL: null,
    EMPTY: null,
  })
  expect(read.env).toEqual({ PAYMENT_KEY: 'sk', POOL_SIZE: 5, MAIL_URL: null })
  const other = readSiteEnvironment({ publicEnv, env }, { ...environment, PAYMENT_KEY: 'other' })
  expect(other.publicEnv.hash).toBe(read.publicEnv.hash)
})

describe('O8 rejects at start', () => {
  test.each<[string, PublicEnvRule, Record<string, string>, string | undefined, string]>([
    ['a value that is required and missing', { type: 'url' }, {}, undefined, URL_RULE + SOURCES],
    ['an optional value of another type', { type: 'url', optional: true }, { SUPPORT_URL: 'here' }, 'here', URL_RULE],
  ])('%s', (_what, rule, environment, value, text) => {
    expect(() => readSiteEnvironment({ publicEnv: { SUPPORT_URL: rule }, env: {} }, environment)).toThrow(
      expect.objectContaining({ faults: [{ name: 'SUPPORT_URL', value, rule: text }] }),
    )
  })

  test('all public values and secrets together, without the value of a secret', () => {
    const rules = {
      publicEnv: { LIMIT: { type: 'number' } },
      env: { PAYMENT_KEY: { type: 'string' }, DATABASE_URL: { type: 'url' }, IS_LIVE: { type: 'boolean' } },
    } as const
    const environment = { LIMIT: 'many', DATABASE_URL: 'hush', IS_LIVE: 'yes' }
    expect(() => readSiteEnvironment(rules, environment)).toThrow(
      `LIMIT="many": must be a number (publicEnv of portico.config.ts)
PAYMENT_KEY is not set: must be a string (env of portico.config.ts)${SOURCES}
DATABASE_URL="(4 characters)": must be an absolute URL (env of portico.config.ts)
IS_LIVE="(3 characters)": must be true or false (env of portico.config.ts)`,
    )
  })

  test('a value whose name is a setting of other services, with the reason why setting it does not help', () => {
    const rules = { publicEnv: {}, env: { CACHE_REDIS_URL: { type: 'url' } } } as const
    expect(() => readSiteEnvironment(rules, {})).toThrow(
      /^CACHE_REDIS_URL is not set: .*; it is a setting of other services, .*: choose another name$/,
    )
    // Both services read it.
    const shared = { publicEnv: { PUBLIC_ORIGINS: { type: 'string' } }, env: {} } as const
    expect(() => readSiteEnvironment(shared, {})).toThrow(SOURCES)
  })

  test('white space as a number', () => {
    const rules = { publicEnv: {}, env: { POOL_SIZE: { type: 'number' } } } as const
    expect(() => readSiteEnvironment(rules, { POOL_SIZE: ' ' })).toThrow('POOL_SIZE="(1 characters)": must be a number')
  })
})

describe('variables that code of an app of Next.js reads', () => {
  const rules = {
    publicEnv: { SITE: { type: 'string', default: 'site' } },
    env: {},
    codeEnv: {
      NEXT_PUBLIC_A: { default: 'built', browser: true },
      NEXT_PUBLIC_OF_SERVER: { default: 'built' },
      NEXT_PUBLIC_UNSET: { browser: true },
    },
  } as const
  const read = (environment: Record<string, string>) => readSiteEnvironment(rules, environment).publicEnv

  test('X6 have the value of the environment, an empty one too, or that of the build; documents have those of the browser', () => {
    expect(read({}).values).toEqual({ SITE: 'site', NEXT_PUBLIC_A: 'built' })
    expect(read({ NEXT_PUBLIC_A: '', NEXT_PUBLIC_UNSET: 'set', NEXT_PUBLIC_OTHER: 'x' }).values).toEqual({
      SITE: 'site',
      NEXT_PUBLIC_A: '',
      NEXT_PUBLIC_UNSET: 'set',
    })
  })

  test('X6 are part of the key of cached pages, those of the server too', () => {
    const hashes = [{}, { NEXT_PUBLIC_A: '' }, { NEXT_PUBLIC_OF_SERVER: 'x' }, { NEXT_PUBLIC_UNSET: '' }].map(
      (environment) => read(environment).hash,
    )
    expect(new Set(hashes).size).toBe(4)
    expect(read({ NEXT_PUBLIC_A: 'built', NEXT_PUBLIC_OTHER: 'x' }).hash).toBe(hashes[0])
  })

  test('X6 are given to code of the site; one line of the log names those that differ, without values', () => {
    const lines: unknown[] = []
    const log = { info: (...line: unknown[]) => void lines.push(line) }
    const same = { NEXT_PUBLIC_A: 'built' }
    provideCodeEnv(rules, same, log)
    provideCodeEnv({}, {}, log)
    expect([same, lines]).toEqual([{ NEXT_PUBLIC_A: 'built', NEXT_PUBLIC_OF_SERVER: 'built' }, []])
    const other = { NEXT_PUBLIC_A: '', NEXT_PUBLIC_UNSET: 'set' }
    provideCodeEnv(rules, other, log)
    expect(other).toEqual({ NEXT_PUBLIC_A: '', NEXT_PUBLIC_OF_SERVER: 'built', NEXT_PUBLIC_UNSET: 'set' })
    expect(lines).toEqual([
      [{ names: ['NEXT_PUBLIC_A', 'NEXT_PUBLIC_UNSET'] }, 'variables of the environment differ from the build'],
    ])
  })
})
