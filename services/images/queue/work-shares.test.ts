import { expect, test } from 'vitest'
import { createWorkShares } from './queue.ts'

type WorkShares = ReturnType<typeof createWorkShares>

const SITE = { pattern: '', host: '' }
const wild = (host: string) => ({ pattern: '**.example', host })

/** Returns how many pieces of work of these origins may begin, one after the other. */
function fill(shares: WorkShares, origins: Iterable<{ pattern: string; host: string }>): number {
  let begun = 0
  for (const origin of origins) {
    if (!shares.admits(origin)) continue
    shares.begin(origin)
    begun++
  }
  return begun
}
const times = <T>(count: number, one: (at: number) => T) => Array.from({ length: count }, (_, at) => one(at))

test('I7 one host may hold two thirds of the places, and another host still finds a place', () => {
  const shares = createWorkShares(64)
  expect(
    fill(
      shares,
      times(200, () => wild('one.example')),
    ),
  ).toBe(43)
  expect(shares.admits(wild('one.example'))).toBe(false)
  expect(shares.admits(wild('other.example'))).toBe(true)
  expect(
    fill(
      shares,
      times(10, () => SITE),
    ),
  ).toBe(10)
})

test('I7 any number of names below a wildcard cannot use the places of the site', () => {
  const shares = createWorkShares(64)
  expect(
    fill(
      shares,
      times(1000, (at) => wild(`${at}.example`)),
    ),
  ).toBe(48)
  expect(
    fill(
      shares,
      times(10, () => SITE),
    ),
  ).toBe(10)
})

test('I7 ended work frees its place, and an origin without work begins while a single place is free', () => {
  const shares = createWorkShares(2)
  const ends = [shares.begin(SITE), shares.begin(wild('a.example'))]
  expect(shares.admits(wild('b.example'))).toBe(false)
  ends[0]?.()
  expect([shares.admits(wild('b.example')), shares.admits(SITE)]).toEqual([true, true])
})
