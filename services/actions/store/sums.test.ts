// Sums of budgets, compared with a simple count.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSums } from '../testing.ts'

it('A5 the address that holds most is known after any changes', () => {
  const change = fc.record({
    address: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    client: fc.constantFrom('x', 'y'),
    bytes: fc.integer({ min: 1, max: 50 }),
    undo: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const sums = createSums()
      const expected = new Map<string, number>()
      let total = 0
      const add = (address: string, client: string, bytes: number) => {
        sums.add({ address, client }, bytes)
        total += bytes
        expected.set(address, (expected.get(address) ?? 0) + bytes)
      }
      for (const { address, client, bytes, undo } of changes) {
        add(address, client, bytes)
        if (undo) add(address, client, -bytes)
        const most = Math.max(...expected.values())
        const largest = sums.largestAddress()
        expect(largest === undefined ? 0 : expected.get(largest)).toBe(most)
        expect(sums.held({ address, client })).toMatchObject({ address: expected.get(address), total })
      }
    }),
  )
})

it('A5 sums do not grow with the number of changes', () => {
  const sums = createSums()
  for (let n = 0; n < 50_000; n++) sums.add({ address: `a${n % 10}`, client: 'c' }, n % 3 === 0 ? 5 : 1)
  expect(sums.largestAddress()).toBeDefined()
  sums.clear()
  expect(sums.largestAddress()).toBeUndefined()
  expect(sums.held({ address: 'a1', client: 'c' })).toEqual({ address: 0, client: 0, total: 0 })
})
