// The estimates of uses.

import { expect, it } from 'vitest'
import { createFrequency } from './frequency.ts'

it('C7 counts no fewer uses than there were, and few more among many other keys', () => {
  const frequency = createFrequency(4000)
  const [often, rarely] = ['often', 'rarely'].map(frequency.hash)
  for (let index = 0; index < 20_000; index++) {
    frequency.note(frequency.hash(`other ${index}`))
    if (index % 200 === 0) frequency.note(often!)
    if (index % 10_000 === 0) frequency.note(rarely!)
  }
  expect(frequency.of(often!)).toBeGreaterThanOrEqual(100)
  expect(frequency.of(rarely!)).toBeGreaterThanOrEqual(2)
  expect(frequency.of(often!)).toBeLessThan(110)
  expect(frequency.of(rarely!)).toBeLessThan(10)
})

it('C7 forgets what was used long ago', () => {
  const frequency = createFrequency(64)
  const old = frequency.hash('old')
  for (let use = 0; use < 200; use++) frequency.note(old)
  // Many other keys, each a few times.
  for (let use = 0; use < 20_000; use++) frequency.note(frequency.hash(`other ${use % 5000}`))
  expect(frequency.of(old)).toBeLessThan(50)
})
