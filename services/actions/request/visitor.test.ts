// Who a submission belongs to (A5).

import { describe, expect, it } from 'vitest'
import { createVisitorLimit, identifyVisitor, visitorCookie } from './visitor.ts'

const SECRET = 'secret'
const facts = { cookies: {}, key: undefined, address: '192.0.2.1', userAgent: 'T', now: 1_800_000_000_000 }
const VISITOR = 'v'.repeat(24)

describe('the visitor', () => {
  it("A5 is the session's hash when there is one, never the session itself", () => {
    const visitor = identifyVisitor({ ...facts, cookies: { session: 'abc', 'portico-visitor': VISITOR } }, SECRET)
    expect(visitor).toEqual({ id: expect.stringMatching(/^session:[\w-]{43}$/) })
    expect(visitor.id).not.toContain('abc')
  })

  it('A5 is the visitor cookie when there is no session', () => {
    expect(identifyVisitor({ ...facts, cookies: { 'portico-visitor': VISITOR } }, SECRET)).toEqual({
      id: `visitor:${VISITOR}`,
    })
  })

  it('A5 is minted from the key, so that the resend with the cookie is the same visitor', () => {
    const first = identifyVisitor({ ...facts, key: 'k'.repeat(22) }, SECRET)
    const copy = identifyVisitor({ ...facts, address: '192.0.2.9', key: 'k'.repeat(22) }, SECRET)
    expect(copy).toEqual(first)
    const resent = identifyVisitor({ ...facts, cookies: { 'portico-visitor': first.mint ?? '' } }, SECRET)
    expect(resent.id).toBe(first.id)
    expect(identifyVisitor({ ...facts, key: 'l'.repeat(22) }, SECRET).id).not.toBe(first.id)
    expect(identifyVisitor({ ...facts, key: 'k'.repeat(22) }, 'other').id).not.toBe(first.id)
  })

  it('A5 is address and user agent without cookie and key, and gets a random cookie', () => {
    const [one, two] = [identifyVisitor(facts, SECRET), identifyVisitor(facts, SECRET)]
    expect(one.id).toBe(two.id)
    expect(one.mint).not.toBe(two.mint)
    expect(identifyVisitor({ ...facts, userAgent: 'U' }, SECRET).id).not.toBe(one.id)
  })

  it('A5 without a key is the same one with the cookie that was just minted, and another one later', () => {
    const first = identifyVisitor(facts, SECRET)
    const cookies = { 'portico-visitor': first.mint ?? '' }
    const idAfter = (milliseconds: number, more: object = {}) =>
      identifyVisitor({ ...facts, cookies, now: facts.now + milliseconds, ...more }, SECRET).id
    for (const id of [idAfter(9999), idAfter(-9999)]) expect(id).toBe(first.id)
    for (const id of [idAfter(10_000), idAfter(-10_000), idAfter(0, { key: 'k'.repeat(22) })])
      expect(id).toBe(`visitor:${first.mint}`)
  })

  it.each(['', 'short', 'with space and more text', `${'x'.repeat(65)}`])(
    'A5 mints anew for the cookie "%s"',
    (cookie) => {
      const visitor = identifyVisitor({ ...facts, cookies: { 'portico-visitor': cookie } }, SECRET)
      expect(visitor.mint).toMatch(/^[0-9a-z]{8}-[\w-]{32}$/)
    },
  )

  it('A5 has a cookie for the site alone, Secure on https', () => {
    expect(visitorCookie('v', '/base', true)).toBe(
      'portico-visitor=v; Max-Age=34560000; Path=/base; HttpOnly; Secure; SameSite=Lax',
    )
  })

  it('A5 has a number of places that are given back', () => {
    const limit = createVisitorLimit(2)
    const [one, two] = [limit.enter('a'), limit.enter('a')]
    expect(limit.enter('a')).toBeUndefined()
    expect(limit.enter('b')).toBeTypeOf('function')
    one?.()
    expect(limit.enter('a')).toBeTypeOf('function')
    two?.()
  })
})
