// Attacks on signed and encrypted cookies.

import { describe, expect, it } from 'vitest'
import type { CookieSeal, StoredSession } from '../../wire/cookies/cookie-seal.ts'
import { createLog } from '../observe/log.ts'
import { createFixedKeyring } from '../secrets/keyring.ts'
import { createCookieSeals } from './cookie-seal.ts'

const [OLD, NEW] = ['o'.repeat(40), 'n'.repeat(40)]
const SESSION: StoredSession = { id: 'id', expiresAt: 60, data: { member: 'ida' }, flash: ['Hello'] }
const FORMS = [{ isEncrypted: false }, { isEncrypted: true }]

function sealWith(secrets: string[], { origin = 'https://example.org', basePath = '', nowMs = 0 } = {}): CookieSeal {
  const log = createLog('actions', 'silent')
  return createCookieSeals({ keyring: createFixedKeyring(secrets), now: () => nowMs, log })({
    origin,
    basePath,
    requestId: 'r',
  })
}

describe.each(FORMS)('a session with $isEncrypted for encryption', (form) => {
  const seal = sealWith([OLD])
  const value = seal.sealSession('session', SESSION, form)

  it('A5 is read again with all of its members, by the site that wrote it', () => {
    expect(seal.openSession('session', value, form)).toEqual({ session: SESSION, isNewestKey: true })
    expect(sealWith([OLD]).openSession('session', value, form)?.session).toEqual(SESSION)
    expect(value).toMatch(/^[\w.-]+$/)
  })

  it('O10 is sealed with the key that counts now, and reported where no key opens it', () => {
    const noted: string[] = []
    let keys = [OLD]
    const keyring = {
      current: () => keys[0]!,
      accepted: () => keys,
      noteUnknown: (what: string) => void noted.push(what),
    }
    const seals = createCookieSeals({ keyring, now: () => 0, log: createLog('actions', 'silent') })
    const live = () => seals({ origin: 'https://example.org', basePath: '', requestId: 'r' })
    expect(live().openSession('session', value, form)?.isNewestKey).toBe(true)
    keys = [NEW, OLD]
    expect(live().openSession('session', value, form)?.isNewestKey).toBe(false)
    const renewed = live().sealSession('session', SESSION, form)
    expect(noted).toEqual([])
    keys = [NEW]
    expect(live().openSession('session', renewed, form)?.isNewestKey).toBe(true)
    expect(live().openSession('session', value, form)).toBeUndefined()
    expect(live().openSession('session', 'a value of another program', form)).toBeUndefined()
    expect(noted).toEqual(['cookie'])
  })

  it('A5 is refused with any character changed, removed or added', () => {
    for (let at = 0; at < value.length; at++) {
      const other = value[at] === 'A' ? 'B' : 'A'
      const changed = [
        value.slice(0, at) + other + value.slice(at + 1),
        value.slice(0, at),
        `${value.slice(0, at)}.${value.slice(at)}`,
      ]
      for (const text of changed) expect(seal.openSession('session', text, form), text).toBeUndefined()
    }
    for (const text of [
      '',
      '.',
      '..',
      's1',
      's1.',
      's1..',
      'e1.',
      'e1.AAAA',
      `e1.${'A'.repeat(80)}`,
      's1.e30.',
      's1.bnVsbA.AAAA',
    ])
      expect(seal.openSession('session', text, form), text).toBeUndefined()
  })

  it('A5 is refused after its end, whatever the browser keeps', () => {
    expect(sealWith([OLD], { nowMs: 59_999 }).openSession('session', value, form)).toBeDefined()
    expect(sealWith([OLD], { nowMs: 60_000 }).openSession('session', value, form)).toBeUndefined()
  })

  it('A5 is read with an older key while the key is replaced, and refused when that key is gone', () => {
    expect(sealWith([NEW, OLD]).openSession('session', value, form)).toEqual({ session: SESSION, isNewestKey: false })
    expect(sealWith([NEW]).openSession('session', value, form)).toBeUndefined()
    const renewed = sealWith([NEW, OLD]).sealSession('session', SESSION, form)
    expect(sealWith([NEW]).openSession('session', renewed, form)?.isNewestKey).toBe(true)
  })

  it('A5 is refused under another name, and by another site with the same keys', () => {
    expect(seal.openSession('admin', value, form)).toBeUndefined()
    expect(seal.openSession('__Host-session', value, form)).toBeUndefined()
    const others = [
      { origin: 'https://example.org:8443' },
      { origin: 'http://example.org' },
      { origin: 'https://other.example' },
      { basePath: '/shop' },
    ]
    for (const site of others) expect(sealWith([OLD], site).openSession('session', value, form)).toBeUndefined()
    // The border between origin, base path and name is fixed.
    const shop = sealWith([OLD], { basePath: '/shop' }).sealSession('session', SESSION, form)
    expect(sealWith([OLD], { origin: 'https://example.org/shop' }).openSession('session', shop, form)).toBeDefined()
    expect(seal.openSession('/shop\nsession', shop, form)).toBeUndefined()
  })

  it('A5 is refused in the other form: what was encrypted is not read signed, and the reverse', () => {
    expect(seal.openSession('session', value, { isEncrypted: !form.isEncrypted })).toBeUndefined()
    const renamed = value.replace(/^../, form.isEncrypted ? 's1' : 'e1')
    expect(seal.openSession('session', renamed, { isEncrypted: !form.isEncrypted })).toBeUndefined()
  })

  it('A5 is no signed cookie, and a signed cookie is no session', () => {
    const text = JSON.stringify({ i: 'id', e: 60 })
    const signed = seal.sign('session', text)
    expect(seal.verify('session', signed)).toBe(text)
    for (const forged of [signed, signed.replace(/^c1/, 's1'), signed.replace(/^c1/, 'e1')])
      expect(seal.openSession('session', forged, form)).toBeUndefined()
    expect(seal.verify('session', value.replace(/^../, 'c1'))).toBeUndefined()
  })
})

it('O8 shows the data of a signed session to its client, and nothing of an encrypted one', () => {
  const read = (value: string) => Buffer.from(value.split('.')[1] ?? '', 'base64url').toString('latin1')
  const seal = sealWith([OLD])
  expect(read(seal.sealSession('session', SESSION, { isEncrypted: false }))).toContain('ida')
  const encrypted = seal.sealSession('session', SESSION, { isEncrypted: true })
  expect(read(encrypted)).not.toContain('ida')
  expect(seal.sealSession('session', SESSION, { isEncrypted: true })).not.toBe(encrypted)
})

describe('a cookie of draft mode', () => {
  const [origin, other] = ['https://example.org', 'https://other.example']
  const sealed = sealWith([OLD], { origin }).sealDraft('draft', { maxAgeSeconds: 60, data: { post: 7 } })

  it('X13 is read by the site that wrote it, under its name and until its end, with its data', () => {
    const open = (secrets: string[], site = {}, name = 'draft') =>
      sealWith(secrets, { origin, ...site }).openDraft(name, sealed)
    expect([open([OLD]), open([NEW, OLD])]).toEqual([{ data: { post: 7 } }, { data: { post: 7 } }])
    const wrong = [
      open([NEW]),
      open([OLD], { origin: other }),
      open([OLD], { basePath: '/shop' }),
      open([OLD], { nowMs: 60_000 }),
      open([OLD], {}, 'other'),
    ]
    expect(wrong).toEqual(Array(5).fill(undefined))
    expect(open([OLD], { nowMs: 59_999 })).toBeDefined()
    expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).not.toContain('post')
  })

  it('X13 is refused with any character changed, and in any other form', () => {
    const seal = sealWith([OLD], { origin })
    for (let at = 0; at < sealed.length; at++) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
      expect(seal.openDraft('draft', changed), changed).toBeUndefined()
    }
    for (const text of ['', 'd1', 'd1.', 'd1.AAAA', `d1.${'A'.repeat(80)}`, sealed.slice(3)])
      expect(seal.openDraft('draft', text), text).toBeUndefined()
    const session = seal.sealSession('draft', SESSION, { isEncrypted: true })
    expect(seal.openDraft('draft', session.replace('e1', 'd1'))).toBeUndefined()
    expect(seal.openSession('draft', sealed.replace('d1', 'e1'), { isEncrypted: true })).toBeUndefined()
    expect(seal.verify('draft', sealed)).toBeUndefined()
  })
})
