// What publicEnv says of names.

import { expect, test } from 'vitest'
import { publicEnv, setPublicEnv } from './public-env.ts'

test('O8 publicEnv tells a value, undefined for an optional one, and what is wrong with a call', () => {
  expect(() => publicEnv('NAME')).toThrow('publicEnv("NAME") was called while modules load; call it inside a function')
  setPublicEnv({ NAME: 'Harbour', SUPPORT_URL: null })
  expect(publicEnv('NAME')).toBe('Harbour')
  expect(publicEnv('SUPPORT_URL')).toBeUndefined()
  expect(() => publicEnv('NAMES')).toThrow('publicEnv of portico.config.ts declares no such value')
  expect(() => publicEnv('toString')).toThrow('declares no such value')
})
