// Which client sends a submission (A5).

import { createCookieSeals } from '@portico/shared/kit/cookies/cookie-seal.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { createFixedKeyring } from '@portico/shared/kit/secrets/keyring.ts'
import type { StoredSession } from '@portico/shared/wire/cookies/cookie-seal.ts'
import { describe, expect, it } from 'vitest'
import { countedAs, identifyClient, mintClientCookie, rotateClientCookie, setClientCookie } from './client-identity.ts'

const SECRET = 'secret'
const ID = 'v'.repeat(24)
const KEY = 'k'.repeat(22)
const seals = createCookieSeals({
  keyring: createFixedKeyring(['k'.repeat(40)]),
  now: () => 0,
  log: createLog('actions', 'silent'),
})
const cookieSeal = seals({ origin: 'http://localhost', basePath: '', requestId: 'r' })
const identify = (cookies: Record<string, string>, key?: string, ...secrets: string[]) =>
  identifyClient({ cookies, key, cookieSeal }, secrets.length > 0 ? secrets : [SECRET])
const sealed = (name: string, session: Partial<StoredSession>, isEncrypted = false) =>
  cookieSeal.sealSession(name, { id: 's1', expiresAt: 60, ...session }, { isEncrypted })

describe('the identity of a client', () => {
  it('A5 is the hash of the session that the site made itself, never the session itself', () => {
    const client = identify({ session: 'abc', 'portico-visitor': `${ID}.3` }, KEY)
    expect(client).toEqual({
      kind: 'session',
      id: expect.stringMatching(/^session:[\w-]{43}$/),
      earlierIds: [`visitor:${ID}`, expect.stringMatching(/^visitor:[\w-]{43}$/)],
      cookie: { id: ID, counter: 3 },
    })
    expect(client.id).not.toContain('abc')
    expect(identify({ session: 'abc' }).cookie).toBeUndefined()
    expect(identify({ session: 'abd' }).id).not.toBe(client.id)
  })

  it.each([
    [ID, 0],
    [`${ID}.0`, 0],
    [`${ID}.41`, 41],
    [`${ID}.999999999`, 999_999_999],
  ])('A5 is the client cookie without a session, with any counter: "%s"', (value, counter) => {
    const cookie = { id: ID, counter }
    const client = { kind: 'cookie', id: `visitor:${ID}`, earlierIds: [], cookie }
    expect(identify({ 'portico-visitor': value })).toEqual(client)
    const byKey = identify({}, KEY).id
    expect(identify({ 'portico-visitor': value }, KEY)).toEqual({ ...client, earlierIds: [byKey] })
  })

  it('A5 is the key without both, and the same client with the cookie that the response set', () => {
    const first = identify({}, KEY)
    expect(first).toEqual({
      kind: 'key',
      id: `visitor:${first.cookie?.id}`,
      earlierIds: [],
      cookie: { id: expect.any(String), counter: 0 },
    })
    expect(identify({ 'portico-visitor': first.cookie?.id ?? '' }, KEY).id).toBe(first.id)
    expect(identify({}, 'l'.repeat(22)).id).not.toBe(first.id)
    expect(identify({}, KEY, 'other').id).not.toBe(first.id)
    // A copy that arrives after a rotation belongs to the client of the first arrival.
    expect(identify({}, KEY, 'other', SECRET).earlierIds).toEqual([first.id])
    expect(identify({ 'portico-visitor': first.cookie?.id ?? '' }, KEY, 'other', SECRET).id).toBe(first.id)
  })

  it.each(['', 'short', 'with space and more text', 'x'.repeat(65), `${ID}.`, `${ID}.x`, `${ID}.1234567890`, `.1`])(
    'A5 is none with the cookie "%s", and no key',
    (value) => {
      const none = { kind: 'none', id: undefined, earlierIds: [], cookie: undefined }
      expect(identify({ 'portico-visitor': value })).toEqual(none)
    },
  )
})

describe('the identity of a client with a session of createSession', () => {
  it('A5 is the id of the session, whatever the name of its cookie, its form and the time of its renewal', () => {
    for (const value of [sealed('who', {}), sealed('who', { expiresAt: 99, data: { n: 1 } }), sealed('who', {}, true)])
      expect(identify({ who: value }).id).toBe('session:s1')
    expect(identify({ '__Host-me': sealed('__Host-me', {}), 'portico-visitor': ID }).id).toBe('session:s1')
  })

  it('A5 falls back to the client cookie for a session that is forged, expired or moved to another name', () => {
    const values = ['s1.e30.x', `${sealed('session', {})}x`, sealed('session', { expiresAt: 0 }), sealed('other', {})]
    for (const session of values)
      expect(identify({ session, 'portico-visitor': ID })).toMatchObject({ kind: 'cookie', id: `visitor:${ID}` })
  })

  it('A5 knows what the client was before: other sessions, the one before its log-in, its cookie, its key', () => {
    const cookies = {
      b: sealed('b', { id: 'b1', previousId: 'b0' }),
      a: sealed('a', { id: 'a1' }),
      'portico-visitor': ID,
    }
    const byKey = identify({}, KEY).id
    expect(identify(cookies, KEY)).toMatchObject({
      id: 'session:a1',
      earlierIds: ['session:b1', 'session:b0', `visitor:${ID}`, byKey],
    })
  })

  it('A5 has nothing of the session before a log-out', () => {
    expect(identify({ 'portico-visitor': ID }, KEY).earlierIds).toEqual([identify({}, KEY).id])
  })
})

describe('the client cookie', () => {
  it('A5 is random', () => {
    expect(mintClientCookie()).toEqual({ id: expect.stringMatching(/^[\w-]{32}$/), counter: 0 })
    expect(mintClientCookie().id).not.toBe(mintClientCookie().id)
  })

  it('A5 gets a counter that was never used before, and that the cookie can hold', () => {
    const before = { id: ID, counter: 5 }
    const counters = Array.from({ length: 1000 }, () => rotateClientCookie(before).counter)
    // Responses of two tabs to one counter: five equal values of 1000 would be a fault, not chance.
    expect(new Set([...counters, 5]).size).toBeGreaterThan(995)
    const cookie = rotateClientCookie(before)
    const [, value = ''] = /^portico-visitor=([^;]+)/.exec(setClientCookie(cookie, '', false)) ?? []
    expect(identify({ 'portico-visitor': value }).cookie).toEqual(cookie)
  })

  it('A5 is for the site only, Secure on https', () => {
    expect(setClientCookie({ id: ID, counter: 2 }, '/base', true)).toBe(
      `portico-visitor=${ID}.2; Max-Age=34560000; Path=/base; HttpOnly; Secure; SameSite=Lax`,
    )
    expect(setClientCookie({ id: ID, counter: 0 }, '', false)).toBe(
      `portico-visitor=${ID}; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax`,
    )
  })
})

it('A1 a client is counted by its cookie with any counter, else by address and User-Agent', () => {
  const counted = (cookies: Record<string, string>, userAgent = 'T') =>
    countedAs(identifyClient({ cookies, cookieSeal, key: undefined }, ['s']), { address: '192.0.2.1', userAgent })
  const id = 'v'.repeat(24)
  expect(counted({ 'portico-visitor': `${id}.1` })).toBe(counted({ 'portico-visitor': `${id}.2` }, 'U'))
  expect(counted({})).toBe(counted({}))
  expect(counted({})).not.toBe(counted({}, 'U'))
})
