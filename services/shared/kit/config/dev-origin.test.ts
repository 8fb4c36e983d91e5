import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import { createDevGate } from './dev-origin.ts'

/** Addresses of this machine as a Host has them. */
const OWN = Object.values(networkInterfaces())
  .flatMap((entries) => entries ?? [])
  .filter(({ scopeid = 0 }) => scopeid === 0)
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]:8080` : `${address}:8080`))

const gate = createDevGate(['https://dev.example.org'])

describe('the gate of development', () => {
  test.each(['localhost:8080', '127.0.0.1:8080', '[::1]:8080', 'site.localhost:1', 'dev.example.org', ...OWN])(
    'V3 accepts the host %s',
    (host) => expect(gate.refuses({ host })).toBeUndefined(),
  )

  test.each([
    undefined,
    '',
    'evil.example',
    'localhost.evil.example',
    'evil.example:8080',
    'a b',
    'x@localhost',
    '127.0.0.1.nip.io',
    // Not this machine's: documentation addresses (RFC 5737, RFC 3849), and the address of any machine.
    '203.0.113.7:8080',
    '[2001:db8::7]:8080',
    '0.0.0.0:8080',
  ])('V3 refuses the host %s', (host) => expect(gate.refuses(host === undefined ? {} : { host })).toBeTypeOf('string'))

  test('V3 sends files only to pages of the site', () => {
    const host = 'localhost:8080'
    expect(gate.refusesForeign({ host })).toBeUndefined()
    expect(
      gate.refusesForeign({ host, origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' }),
    ).toBeUndefined()
    expect(gate.refusesForeign({ host, 'sec-fetch-site': 'none' })).toBeUndefined()
    for (const origin of ['null', 'http://localhost', 'http://localhost:8081', 'https://evil.example', 'x'])
      expect(gate.refusesForeign({ host, origin }), origin).toBeTypeOf('string')
    for (const site of ['cross-site', 'same-site'])
      expect(gate.refusesForeign({ host, 'sec-fetch-site': site }), site).toBeTypeOf('string')
  })

  test('V3 refuses a socket without an Origin', () => {
    expect(gate.refusesForeign({ host: 'localhost:8080' }, true)).toBeTypeOf('string')
    expect(gate.refusesForeign({ host: 'localhost:8080', origin: 'http://localhost:8080' }, true)).toBeUndefined()
    expect(gate.refusesForeign({ host: 'evil.example', origin: 'http://evil.example' }, true)).toBeTypeOf('string')
  })
})
