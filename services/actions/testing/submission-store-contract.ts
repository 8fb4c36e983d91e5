// The contract of every submission store (A5, A9). The test of each store runs this suite with its own clock.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BeginOptions, SubmissionStore } from '../store/submission-store.ts'
import { HOLDER } from './test-store.ts'

interface StoreUnderTest {
  store: SubmissionStore
  /** A second connection to the same records, like another replica. */
  replica: SubmissionStore
  /** Advances the time of the store. */
  pass: (milliseconds: number) => Promise<void>
  stop: () => Promise<void>
}

/** Short enough for stores with a real clock, long enough for a busy machine. */
const LEASE_MS = 300
const KEEP_MS = 600
const OPTIONS: Omit<BeginOptions, 'owner'> = {
  fingerprint: 'f',
  holder: HOLDER,
  leaseMs: LEASE_MS,
  keepMs: KEEP_MS,
  takeOver: false,
}
const TIMES = { keepMs: KEEP_MS, bodyKeepMs: KEEP_MS }

export function describeSubmissionStore(name: string, start: () => Promise<StoreUnderTest>): void {
  describe(`the ${name} store`, () => {
    let test: StoreUnderTest
    let count = 0
    let id = ''
    beforeEach(async () => {
      test = await start()
      id = `record-${process.pid}-${count++}`
    })
    afterEach(() => test.stop())

    const begin = (owner: string, more: Partial<BeginOptions> = {}, store = test.store) =>
      store.begin(id, { ...OPTIONS, owner, ...more })

    it('A5 starts the first arrival and reports to the second that the record runs', async () => {
      expect(await begin('a')).toEqual({ kind: 'started' })
      expect(await begin('b', {}, test.replica)).toEqual({ kind: 'running', fingerprint: 'f' })
    })

    it('A5 starts exactly one of many simultaneous arrivals', async () => {
      const all = await Promise.all(
        Array.from({ length: 40 }, (_, n) => begin(`o${n}`, {}, n % 2 === 0 ? test.store : test.replica)),
      )
      expect(all.filter(({ kind }) => kind === 'started')).toHaveLength(1)
      expect(all.filter(({ kind }) => kind === 'running')).toHaveLength(39)
    })

    it('A5 starts an owner that begins again, with a new lease, until its record is finished', async () => {
      await begin('a')
      await test.pass(LEASE_MS / 2)
      expect(await begin('a')).toEqual({ kind: 'started' })
      await test.pass((LEASE_MS * 2) / 3)
      expect(await begin('b', {}, test.replica)).toEqual({ kind: 'running', fingerprint: 'f' })
      await test.store.finish(id, 'a', { status: 200 }, TIMES)
      expect(await begin('a')).toEqual({ kind: 'finished', fingerprint: 'f', kept: { status: 200 } })
    })

    it('A5 returns the stored response to later arrivals, with its fingerprint', async () => {
      await begin('a')
      const kept = { status: 303, location: '/ä b', body: JSON.stringify({ text: 'ä€😀\u0000', list: [1] }) }
      expect(await test.store.finish(id, 'a', kept, TIMES)).toBe(true)
      const found = { kind: 'finished', fingerprint: 'f', kept }
      expect(await begin('b', { fingerprint: 'other' }, test.replica)).toEqual(found)
      expect(await begin('c', { takeOver: true })).toEqual(found)
    })

    it('A5 stores the body for its own time, and status and location for longer', async () => {
      await begin('a')
      const kept = { status: 303, location: '/there', body: 'the response' }
      await test.store.finish(id, 'a', kept, { keepMs: KEEP_MS, bodyKeepMs: KEEP_MS / 3 })
      expect(await begin('b')).toMatchObject({ kept })
      await test.pass(KEEP_MS / 2)
      const left = { kind: 'finished', fingerprint: 'f', kept: { status: 303, location: '/there' } }
      expect(await begin('c', {}, test.replica)).toEqual(left)
    })

    it('A5 stores a record without location and body', async () => {
      await begin('a')
      await test.store.finish(id, 'a', { status: 409 }, TIMES)
      expect(await begin('b')).toEqual({ kind: 'finished', fingerprint: 'f', kept: { status: 409 } })
    })

    it('A5 reports another record of the same submission instead of creating one', async () => {
      const otherIds = ['none', id]
      const later = (owner: string, more: Partial<BeginOptions> = {}) =>
        test.replica.begin(`${id}-later`, { ...OPTIONS, owner, otherIds, ...more })
      await begin('a')
      expect(await later('b')).toEqual({ kind: 'running', fingerprint: 'f' })
      const kept = { status: 200, body: 'the response' }
      await test.store.finish(id, 'a', kept, TIMES)
      expect(await later('c', { fingerprint: 'other' })).toEqual({ kind: 'finished', fingerprint: 'f', kept })
      expect(await later('d', { otherIds: ['none'] })).toEqual({ kind: 'started' })
    })

    it('A9 reports another record whose owner died, unless the submission may be repeated', async () => {
      await begin('a')
      await test.pass(LEASE_MS + 50)
      const later = (takeOver: boolean) =>
        test.store.begin(`${id}-later`, { ...OPTIONS, owner: 'b', otherIds: [id], takeOver })
      expect(await later(false)).toEqual({ kind: 'lost', fingerprint: 'f' })
      expect(await later(true)).toEqual({ kind: 'started' })
    })

    it('A5 distinguishes records by their ids', async () => {
      await begin('a')
      expect(await test.store.begin(`${id}x`, { ...OPTIONS, owner: 'b' })).toEqual({ kind: 'started' })
    })

    it('A5 removes a record after its time', async () => {
      await begin('a')
      await test.store.finish(id, 'a', { status: 200, body: 'x' }, TIMES)
      await test.pass(KEEP_MS / 2)
      expect(await begin('b')).toMatchObject({ kind: 'finished' })
      await test.pass(KEEP_MS)
      expect(await begin('c')).toEqual({ kind: 'started' })
    })

    it('A5 removes a record after the time of its finish, and starts it again as a new one', async () => {
      const usage = await test.store.usage()
      await begin('a')
      const shortly = { keepMs: KEEP_MS / 3, bodyKeepMs: KEEP_MS }
      expect(await test.store.finish(id, 'a', { status: 500, body: 'thrown' }, shortly)).toBe(true)
      expect(await begin('b', {}, test.replica)).toMatchObject({ kind: 'finished', kept: { body: 'thrown' } })
      await test.pass(KEEP_MS / 3)
      expect(await begin('c', {}, test.replica)).toEqual({ kind: 'started' })
      expect(await test.replica.finish(id, 'c', { status: 303, location: '/there' }, TIMES)).toBe(true)
      await test.pass(KEEP_MS / 3)
      const kept = { status: 303, location: '/there' }
      expect(await begin('d')).toEqual({ kind: 'finished', fingerprint: 'f', kept })
      await test.pass(KEEP_MS)
      expect(await test.store.usage()).toBe(usage)
    })

    it('A9 reports a record as lost after its lease has expired, and never starts the record again', async () => {
      await begin('a')
      await test.pass(LEASE_MS + 50)
      expect(await begin('b')).toEqual({ kind: 'lost', fingerprint: 'f' })
      expect(await begin('c', {}, test.replica)).toEqual({ kind: 'lost', fingerprint: 'f' })
    })

    it('A9 removes a lost record after its time', async () => {
      await begin('a')
      await test.pass(LEASE_MS + KEEP_MS + 50)
      expect(await begin('b')).toEqual({ kind: 'started' })
    })

    it('A9 keeps a record running while its lease is renewed', async () => {
      await begin('a')
      for (let n = 0; n < 3; n++) {
        await test.pass(LEASE_MS * 0.6)
        expect(await test.store.renew(id, 'a', LEASE_MS, KEEP_MS)).toBe(true)
      }
      expect(await begin('b')).toEqual({ kind: 'running', fingerprint: 'f' })
      expect(await test.store.finish(id, 'a', { status: 200, body: 'x' }, TIMES)).toBe(true)
    })

    it('A9 starts a record of a dead owner again only if that is declared safe, and only for the same body', async () => {
      await begin('a')
      expect(await begin('b', { takeOver: true })).toEqual({ kind: 'running', fingerprint: 'f' })
      await test.pass(LEASE_MS + 50)
      expect(await begin('c', { takeOver: true, fingerprint: 'other' })).toEqual({ kind: 'lost', fingerprint: 'f' })
      expect(await begin('d', { takeOver: true })).toEqual({ kind: 'started' })
      expect(await begin('e', { takeOver: true })).toEqual({ kind: 'running', fingerprint: 'f' })
    })

    it('A9 refuses renew, finish and abandon by any other owner', async () => {
      await begin('a')
      await test.pass(LEASE_MS + 50)
      await begin('b', { takeOver: true })
      expect(await test.store.renew(id, 'a', LEASE_MS, KEEP_MS)).toBe(false)
      expect(await test.store.finish(id, 'a', { status: 200, body: 'late' }, TIMES)).toBe(false)
      await test.store.abandon(id, 'a')
      expect(await test.store.finish(id, 'b', { status: 200, body: 'right' }, TIMES)).toBe(true)
      expect(await begin('c')).toEqual({ kind: 'finished', fingerprint: 'f', kept: { status: 200, body: 'right' } })
    })

    it('A9 accepts a late finish of the owner if no other owner has taken over', async () => {
      await begin('a')
      await test.pass(LEASE_MS + 50)
      expect(await test.store.finish(id, 'a', { status: 200, body: 'late' }, TIMES)).toBe(true)
      expect(await begin('b')).toMatchObject({ kind: 'finished', kept: { body: 'late' } })
    })

    it('A5 keeps the first stored response', async () => {
      await begin('a')
      await test.store.finish(id, 'a', { status: 200, body: 'first' }, TIMES)
      expect(await test.store.finish(id, 'a', { status: 200, body: 'second' }, TIMES)).toBe(false)
      expect(await test.store.renew(id, 'a', LEASE_MS, KEEP_MS)).toBe(false)
      await test.store.abandon(id, 'a')
      expect(await begin('b')).toMatchObject({ kind: 'finished', kept: { body: 'first' } })
    })

    it('A5 removes an abandoned record immediately', async () => {
      await begin('a')
      await test.store.abandon(id, 'a')
      expect(await begin('b', { fingerprint: 'other' })).toEqual({ kind: 'started' })
    })

    it('A5 ignores renew, finish and abandon of unknown records', async () => {
      expect(await test.store.renew(id, 'a', LEASE_MS, KEEP_MS)).toBe(false)
      expect(await test.store.finish(id, 'a', { status: 200, body: 'x' }, TIMES)).toBe(false)
      await test.store.abandon(id, 'a')
      await test.store.ping()
    })
  })
}
