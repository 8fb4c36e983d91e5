// The contract for the budgets of every submission store (A5, submission-store.ts).

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Budgets, Holder, SubmissionStore } from '../store/submission-store.ts'

interface BudgetsUnderTest {
  store: SubmissionStore
  /** A second connection to the same records, like another replica. */
  replica: SubmissionStore
  /** Events of the store, as "dropped body client". */
  noted: string[]
  pass: (milliseconds: number) => Promise<void>
  stop: () => Promise<void>
}

/** The counted bytes of a row, and of a body of 1000 characters with its seal, which takes 1280 bytes of memory. */
const ROW = 1536
const BODY = 1280 + 512
const RECORD = ROW + BODY
const PLENTY = 1e9
const KEEP_MS = 60_000

export function describeBudgets(name: string, start: (budgets: Budgets) => Promise<BudgetsUnderTest>): void {
  describe(`the budgets of the ${name} store`, () => {
    let test: BudgetsUnderTest
    let budgets: Budgets
    let count = 0
    beforeEach(() => {
      budgets = { client: PLENTY, address: PLENTY, total: PLENTY }
    })
    afterEach(() => test.stop())

    const begin = (id: string, holder: Partial<Holder> = {}, keepMs = KEEP_MS, owner = 'o') =>
      test.store.begin(id, {
        fingerprint: 'f',
        owner,
        holder: { client: 'c', address: 'a', ...holder },
        leaseMs: KEEP_MS,
        keepMs,
        takeOver: false,
      })
    const finish = (id: string, body: string | null, keepMs = KEEP_MS, bodyKeepMs = keepMs) =>
      test.store.finish(id, 'o', { status: 200, ...(body !== null && { body }) }, { keepMs, bodyKeepMs })
    /** A finished record with a body; the time decides its place in the order of dropping. */
    const keep = async (id: string, holder: Partial<Holder> = {}, body: string | null = 'x'.repeat(1000)) => {
      expect(await begin(id, holder)).toEqual({ kind: 'started' })
      expect(await finish(id, body)).toBe(true)
      await test.pass(3)
    }
    /** The remaining part of a record: "body", "row", or "none". */
    const left = async (id: string) => {
      const found = await begin(id, { client: `looks-${count++}`, address: `looks-${count}` }, KEEP_MS, 'looks')
      if (found.kind === 'started') await test.store.abandon(id, 'looks')
      if (found.kind !== 'finished') return found.kind === 'started' ? 'none' : found.kind
      return found.kept.body === undefined ? 'row' : 'body'
    }
    const allLeft = (...ids: string[]) =>
      ids.reduce<Promise<string[]>>(async (before, id) => [...(await before), await left(id)], Promise.resolve([]))

    it('A5 count rows and bodies, but no abandoned or expired ones', async () => {
      test = await start(budgets)
      await keep('one')
      expect(await test.store.usage()).toBe(RECORD)
      await keep('two', { client: 'd' }, null)
      await begin('three', { address: 'b' })
      expect(await test.store.usage()).toBe(RECORD + 2 * ROW)
      await test.store.abandon('three', 'o')
      await begin('four', {}, 100)
      await finish('four', 'x'.repeat(1000), 200, 100)
      expect(await test.store.usage()).toBe(RECORD + ROW + RECORD)
      await test.pass(120)
      expect(await test.store.usage()).toBe(RECORD + ROW + ROW)
      await test.pass(150)
      expect(await test.store.usage()).toBe(RECORD + ROW)
      expect(test.noted.filter((event) => event.startsWith('dropped'))).toEqual([])
    })

    it('A5 count the records that every replica stores and drops', async () => {
      test = await start(budgets)
      await keep('one')
      const options = {
        fingerprint: 'f',
        owner: 'o',
        holder: { client: 'd', address: 'b' },
        leaseMs: 1000,
        keepMs: 1000,
      }
      await test.replica.begin('two', { ...options, takeOver: false })
      expect([await test.store.usage(), await test.replica.usage()]).toEqual([RECORD + ROW, RECORD + ROW])
      await test.store.abandon('two', 'o')
      expect([await test.replica.usage(), await test.store.usage()]).toEqual([RECORD, RECORD])
    })

    it('A5 count a record once when it begins again after its expiry', async () => {
      test = await start(budgets)
      await begin('one', {}, 50)
      await finish('one', 'x'.repeat(1000), 50)
      await test.pass(80)
      await keep('one', { client: 'd', address: 'b' })
      expect(await test.store.usage()).toBe(RECORD)
      expect(await left('one')).toBe('body')
    })

    it.each(['client', 'address'] as const)(
      'A5 of one %s drop its oldest bodies first, then its oldest rows',
      async (scope) => {
        budgets[scope] = 3 * ROW + 2 * BODY
        test = await start(budgets)
        const other = { client: 'other', address: 'other' }
        await keep('of another', other)
        for (const id of ['1', '2']) await keep(id)
        expect(await allLeft('1', '2')).toEqual(['body', 'body'])
        await keep('3')
        expect(await allLeft('1', '2', '3')).toEqual(['row', 'body', 'body'])
        await keep('4')
        expect(await allLeft('1', '2', '3', '4')).toEqual(['row', 'row', 'row', 'body'])
        for (const id of ['5', '6']) await keep(id, {}, null)
        expect(await allLeft('1', '2', '3', '4', '5', '6')).toEqual(['none', 'row', 'row', 'row', 'row', 'row'])
        expect(await left('of another')).toBe('body')
        expect(new Set(test.noted.filter((event) => event.startsWith('dropped')))).toEqual(
          new Set([`dropped body ${scope}`, `dropped row ${scope}`]),
        )
      },
    )

    it('A5 of the store drop records of the address that holds most, and of no other address', async () => {
      budgets.total = 10 * RECORD
      test = await start(budgets)
      await keep('mine', { client: 'me', address: 'my-address' })
      for (let n = 0; n < 30; n++) await keep(`flood ${n}`, { client: `bot-${n}`, address: 'flooded' })
      await keep('later', { client: 'late', address: 'late-address' })
      expect(await allLeft('mine', 'later')).toEqual(['body', 'body'])
      expect(await left('flood 0')).toBe('none')
      // `left` itself begins one more record.
      expect(await test.store.usage()).toBeLessThanOrEqual(budgets.total)
      expect(test.noted).toContain('dropped body total')
      expect(test.noted).toContain('dropped row total')
    })

    it('A5 drop rows of the address that holds most for a new body', async () => {
      budgets.total = 10 * ROW
      test = await start(budgets)
      for (let n = 0; n < 9; n++) await keep(`flood ${n}`, { client: `bot-${n}`, address: 'flooded' }, null)
      await keep('mine', { client: 'me', address: 'my-address' })
      expect(await allLeft('mine', 'flood 8', 'flood 0')).toEqual(['body', 'row', 'none'])
    })

    it('A5 never drop a row for a body of the same address', async () => {
      budgets.address = 4 * ROW
      test = await start(budgets)
      for (const id of ['1', '2', '3']) await keep(id, {}, null)
      await keep('4')
      expect(await allLeft('1', '2', '3', '4')).toEqual(['row', 'row', 'row', 'row'])
      expect(test.noted.at(-1)).toBe('dropped body address')
    })

    it('A5 never drop running records: a submission without room is refused and stores nothing', async () => {
      budgets.address = 2 * ROW
      test = await start(budgets)
      for (const id of ['1', '2']) expect(await begin(id)).toEqual({ kind: 'started' })
      expect(await begin('3')).toEqual({ kind: 'full' })
      expect(await test.store.usage()).toBe(2 * ROW)
      expect(await begin('3', { client: 'other', address: 'other' })).toEqual({ kind: 'started' })
      expect(await left('1')).toBe('running')
      await finish('1', null)
      expect(await begin('4')).toEqual({ kind: 'started' })
      expect(await left('1')).toBe('none')
    })

    it('A5 do not store a body that is larger than the budget', async () => {
      budgets.client = 2 * ROW
      test = await start(budgets)
      await keep('1', {}, 'x'.repeat(50_000))
      expect(await left('1')).toBe('row')
      expect(await test.store.usage()).toBe(ROW)
    })

    it('A5 drop many small bodies for one large body', async () => {
      budgets.client = 30 * ROW + 30 * 1024
      test = await start(budgets)
      for (let n = 0; n < 25; n++) await keep(`${n}`, {}, 'x')
      await keep('large', {}, 'x'.repeat(30_000))
      expect(await left('large')).toBe('body')
      expect(await test.store.usage()).toBeLessThanOrEqual(budgets.client)
    })
  })
}
