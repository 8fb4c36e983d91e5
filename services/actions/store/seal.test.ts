// Responses at rest (A5).

import { createFixedKeyring } from '@portico/shared/kit/secrets/keyring.ts'
import { expect, it } from 'vitest'
import { createSeal } from './submission-store.ts'

const [OLD, NEW] = ['o'.repeat(40), 'n'.repeat(40)]
const TEXT = 'session=secret; ä€😀'

it('A5 a sealed response contains no part of its text, and opens for its record', () => {
  const seal = createSeal(createFixedKeyring([OLD]))
  const sealed = seal.close('record', TEXT)
  expect(Buffer.from(sealed).includes('secret')).toBe(false)
  expect(seal.open('record', sealed)).toBe(TEXT)
  expect(seal.close('record', TEXT)).not.toEqual(sealed)
})

it('A5 a sealed response opens for no other record, with no other key, and not when it was altered', () => {
  const seal = createSeal(createFixedKeyring([OLD]))
  const sealed = seal.close('record', TEXT)
  expect(seal.open('another', sealed)).toBeUndefined()
  expect(createSeal(createFixedKeyring([NEW])).open('record', sealed)).toBeUndefined()
  for (const at of [0, 12, sealed.length - 1]) {
    const altered = Uint8Array.from(sealed)
    altered[at]! ^= 1
    expect(seal.open('record', altered)).toBeUndefined()
  }
  for (const length of [0, 5, 27, 28]) expect(seal.open('record', sealed.subarray(0, length))).toBeUndefined()
})

it('A5 after a rotation of keys older responses open, and new ones are sealed with the first key', () => {
  const rotated = createSeal(createFixedKeyring([NEW, OLD]))
  expect(rotated.open('record', createSeal(createFixedKeyring([OLD])).close('record', TEXT))).toBe(TEXT)
  expect(createSeal(createFixedKeyring([NEW])).open('record', rotated.close('record', TEXT))).toBe(TEXT)
})
