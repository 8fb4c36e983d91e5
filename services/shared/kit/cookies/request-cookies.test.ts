// Which of several cookies of one name counts.

import { describe, expect, it } from 'vitest'
import { createLog } from '../observe/log.ts'
import { createFixedKeyring } from '../secrets/keyring.ts'
import { createCookieSeals } from './cookie-seal.ts'
import { readCookies } from './request-cookies.ts'

const lines: Record<string, unknown>[] = []
const log = createLog('actions', 'warn', { write: (line) => void lines.push(JSON.parse(line)) })
const seals = createCookieSeals({ keyring: createFixedKeyring(['k'.repeat(40)]), now: () => 0, log })
const seal = seals({ origin: 'http://localhost', basePath: '', requestId: 'r' })
const session = (id: string, more: object = {}, isEncrypted = false) =>
  seal.sealSession('session', { id, expiresAt: 60, ...more }, { isEncrypted })
const read = (header: string) => ({ ...readCookies(header, seal) })

describe('cookies of one name', () => {
  it.each([
    ['', {}],
    ['a=1; b=x%20y; __proto__=2', { a: '1', b: 'x y', ['__proto__']: '2' }],
    ['a=1; a=2', { a: '1' }],
  ])('A5 of "%s" are read, the first of each name', (header, expected) => {
    expect(Object.entries(readCookies(header, seal))).toEqual(Object.entries(expected))
  })

  it.each([false, true])('A5 a forged value does not hide the session of the client (encrypted: %s)', (isEncrypted) => {
    const mine = session('mine', {}, isEncrypted)
    for (const forged of ['x', 's1.e30.AAAA', 'e1.AAAA', `${mine.slice(0, -4)}AAAA`]) {
      expect(read(`session=${forged}; session=${mine}`)).toEqual({ session: mine })
      expect(read(`session=${mine}; a=1; session=${forged}`)).toEqual({ session: mine, a: '1' })
    }
  })

  it('A5 of two genuine sessions none is used, and the log names the cookie without its value', () => {
    lines.length = 0
    const [mine, attackers] = [session('mine'), session('attackers')]
    expect(read(`session=${attackers}; session=${mine}; a=1`)).toEqual({ a: '1' })
    expect(lines).toEqual([expect.objectContaining({ event: 'cookie-ignored', cookie: 'session', requestId: 'r' })])
    expect(JSON.stringify(lines)).not.toContain(mine.slice(3, 20))
  })

  it('A5 two copies of one session are that session', () => {
    expect(read(`session=${session('mine')}; session=${session('mine', { expiresAt: 90 })}`)).toEqual({
      session: session('mine'),
    })
  })

  it('A5 a signed cookie is found behind a forged one', () => {
    const signed = seal.sign('price', '1')
    expect(read(`price=c1.MA.AAAA; price=${signed}`)).toEqual({ price: signed })
  })

  it('A5 a name with other white space in front is another name', () => {
    // A sibling subdomain may set such a cookie; a parser that trims it would take it for the site's own.
    for (const space of ['\u00a0', '\u0085', '\u000b'])
      expect(Object.keys(read(`${space}__Host-session=x; a=1`))).not.toContain('__Host-session')
  })
})
