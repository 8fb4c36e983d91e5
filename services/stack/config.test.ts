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
