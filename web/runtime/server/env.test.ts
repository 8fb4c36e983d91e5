// What env of portico/server returns and hides.

import { inspect } from 'node:util'
import { ENV_VALUES } from '@portico/shared/wire/bundles.ts'
import { afterEach, expect, test } from 'vitest'
import { env } from './env.ts'

afterEach(() => void Reflect.deleteProperty(globalThis, ENV_VALUES))

test('O8 env returns a value, undefined for an optional one that is not set, and names what is wrong with a read', () => {
  expect(() => env.PAYMENT_KEY).toThrow('env.PAYMENT_KEY: only the renderer and the actions service have values')
  Reflect.set(globalThis, ENV_VALUES, { PAYMENT_KEY: 'sk_secret', POOL_SIZE: 5, MAIL_URL: null })
  expect([env.PAYMENT_KEY, env.POOL_SIZE, env.MAIL_URL]).toEqual(['sk_secret', 5, undefined])
  for (const name of ['PAYMENT_KEYS', 'toString', '__proto__'])
    expect(() => env[name], name).toThrow(`env.${name}: env of portico.config.ts declares no such value`)
})

test('O8 env shows no value when it is printed, listed, copied or sent', () => {
  Reflect.set(globalThis, ENV_VALUES, { PAYMENT_KEY: 'sk_secret' })
  expect([inspect(env), inspect(env, { showProxy: true }), Object.keys(env), { ...env }]).not.toContain('sk_secret')
  expect(inspect([inspect(env), inspect(env, { showProxy: true }), Object.entries(env), { ...env }])).not.toContain(
    'sk_secret',
  )
  expect(() => JSON.stringify(env)).toThrow('env.toJSON: env of portico.config.ts declares no such value')
  expect(() => Object.assign(env, { PAYMENT_KEY: 'other' })).toThrow(TypeError)
})
