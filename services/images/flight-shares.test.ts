import { expect, test } from 'vitest'
import { createFlightShares, type FlightShares } from './flight-shares.ts'

const SITE = { pattern: '', host: '' }
const wild = (host: string) => ({ pattern: '**.example', host })

/** How many pieces of work of these origins may begin, one after the other. */
function fill(shares: FlightShares, origins: Iterable<{ pattern: string; host: string }>): number {
  let begun = 0
  for (const origin of origins) {
    if (!shares.admits(origin)) continue
    shares.begin(origin)
    begun++
  }
  return begun
}
const times = <T>(count: number, one: (at: number) => T) => Array.from({ length: count }, (_, at) => one(at))

test('I7 one host may hold two thirds of the room, and another one finds room beside it', () => {
  const shares = createFlightShares(64)
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

test('I7 names below a wildcard without number leave room for the site', () => {
  const shares = createFlightShares(64)
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

test('I7 what has ended makes room again, and what holds none begins while a single place is free', () => {
  const shares = createFlightShares(2)
  const ends = [shares.begin(SITE), shares.begin(wild('a.example'))]
  expect(shares.admits(wild('b.example'))).toBe(false)
  ends[0]?.()
  expect([shares.admits(wild('b.example')), shares.admits(SITE)]).toEqual([true, true])
})
