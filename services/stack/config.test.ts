// The stack's own settings.

import { ConfigError } from '@portico/shared/kit/config/config.ts'
import { SETTINGS } from '@portico/shared/kit/config/settings.ts'
import { expect, test } from 'vitest'
import { readStackConfig } from './config.ts'

test.each([
  ['LOG_LEVEL', 'loud'],
  ['PORT', 'eighty'],
  ['STACK_TOKEN', 'short'],
  ['ACTION_KEYS', 'short'],
] as const)('W5 the stack refuses %s=%s with the name and the rule', (name, value) => {
  let thrown: unknown
  try {
    readStackConfig({ [name]: value }, () => {})
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(ConfigError)
  expect((thrown as ConfigError).faults).toMatchObject([{ name, rule: SETTINGS[name].rule }])
})

test('W5 the stack names each setting of the environment that it replaces', () => {
  const warnings: string[] = []
  readStackConfig({ SITE_PORT: '9001', INNER_PORT: '9002', SITE_URL: '', PORT: '0' }, (text) => warnings.push(text))
  expect(warnings).toEqual(
    ['SITE_PORT', 'INNER_PORT'].map(
      (name) => `${name} has no effect: portico start and portico dev choose the addresses between services`,
    ),
  )
})
