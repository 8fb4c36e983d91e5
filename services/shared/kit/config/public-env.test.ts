// Public values that services read at start.

import { describe, expect, test } from 'vitest'
import type { PublicEnvRule } from '../../wire/build-output.ts'
import { readPublicEnv } from './public-env.ts'

const URL_RULE = 'an absolute URL (publicEnv of portico.config.ts)'

test('O8 returns each declared value in its type, its default, or null if the value is optional and unset', () => {
  const rules: Record<string, PublicEnvRule> = {
    NAME: { type: 'string', default: 'Fieldbook' },
    LIMIT: { type: 'number' },
    IS_OPEN: { type: 'boolean' },
    SUPPORT_URL: { type: 'url', optional: true },
    EMPTY: { type: 'string', optional: true },
  }
  const environment = { LIMIT: '7', IS_OPEN: 'false', EMPTY: '', SECRET: 'not declared' }
  expect(readPublicEnv(rules, environment).values).toEqual({
    NAME: 'Fieldbook',
    LIMIT: 7,
    IS_OPEN: false,
    SUPPORT_URL: null,
    EMPTY: null,
  })
})

describe('O8 rejects at start', () => {
  test.each<[string, PublicEnvRule, Record<string, string>, string | undefined]>([
    ['a value that is required and missing', { type: 'url' }, {}, undefined],
    ['an optional value of another type', { type: 'url', optional: true }, { SUPPORT_URL: 'here' }, 'here'],
  ])('%s', (_what, rule, environment, value) => {
    expect(() => readPublicEnv({ SUPPORT_URL: rule }, environment)).toThrow(
      expect.objectContaining({ faults: [{ name: 'SUPPORT_URL', value, rule: URL_RULE }] }),
    )
  })
})
