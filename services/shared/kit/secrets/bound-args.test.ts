import { describe, expect, it } from 'vitest'
import { createBoundArgs } from './bound-args.ts'
import { createFixedKeyring } from './keyring.ts'

const OLD_KEY = 'old-key-old-key-old-key-old-key-32'
const NEW_KEY = 'new-key-new-key-new-key-new-key-32'

describe('bound arguments', () => {
  it('W3 returns arguments that were signed for the same action', () => {
    const bound = createBoundArgs(createFixedKeyring([NEW_KEY]))
    const args = [{ slug: 'a', n: 1 }, 'ä€😀', null]
    expect(bound.verify('save', bound.sign('save', args))).toEqual(args)
  })

  it('W3 refuses arguments that were signed for another action', () => {
    const bound = createBoundArgs(createFixedKeyring([NEW_KEY]))
    expect(bound.verify('remove', bound.sign('save', [1]))).toBeUndefined()
  })

  it('W3 verifies with every key of the ring and signs with the first', () => {
    const signedBefore = createBoundArgs(createFixedKeyring([OLD_KEY])).sign('save', [1])
    const ring = createBoundArgs(createFixedKeyring([NEW_KEY, OLD_KEY]))
    expect(ring.verify('save', signedBefore)).toEqual([1])
    expect(createBoundArgs(createFixedKeyring([OLD_KEY])).verify('save', ring.sign('save', [1]))).toBeUndefined()
  })

  it('O10 signs with the key that counts now, and reports what no key signed', () => {
    const noted: string[] = []
    let keys = [OLD_KEY]
    const keyring = {
      current: () => keys[0]!,
      accepted: () => keys,
      noteUnknown: (what: string) => void noted.push(what),
    }
    const bound = createBoundArgs(keyring)
    const before = bound.sign('save', [1])
    keys = [NEW_KEY, OLD_KEY]
    const after = bound.sign('save', [1])
    expect([before, after].map((signed) => bound.verify('save', signed))).toEqual([[1], [1]])
    expect(noted).toEqual([])
    keys = [NEW_KEY]
    expect([before, after].map((signed) => bound.verify('save', signed))).toEqual([undefined, [1]])
    expect(noted).toEqual(['form'])
  })

  it.each([
    ['nothing', () => ''],
    ['no signature', (signed: string) => signed.split('.')[0]!],
    ['an empty signature', (signed: string) => `${signed.split('.')[0]}.`],
    ['a changed argument', (signed: string) => `${Buffer.from('[2]').toString('base64url')}.${signed.split('.')[1]}`],
    ['a shortened signature', (signed: string) => signed.slice(0, -4)],
    ['a signature of another length', (signed: string) => `${signed}AAAA`],
    ['text that is not base64', () => '%%%.%%%'],
  ])('W3 refuses %s', (_name, spoil) => {
    const bound = createBoundArgs(createFixedKeyring([NEW_KEY]))
    expect(bound.verify('save', spoil(bound.sign('save', [1])))).toBeUndefined()
  })
})
