// The bounds of the memory, and the probation of pages that clients name.

import { createRandom } from '@portico/shared/kit/testing/random.ts'
import { describe, expect, it } from 'vitest'
import type { KeptEntry } from './kept-entry.ts'
import { createPageMemory } from './memory.ts'
import { keptPage } from './testing/entries.ts'

const PAGE = keptPage()
const entry = (key: string, bytes = 1000): KeptEntry => ({ ...PAGE, key, bytes })

describe('the memory of pages', () => {
  it('C7 keeps entries within the limit, and drops those that were used least recently', () => {
    const memory = createPageMemory({ limitBytes: 100_000 })
    for (let index = 0; index < 200; index++) memory.set(entry(`page ${index}`), true)
    const { kept, probation, entries, evicted } = memory.figures()
    expect({ kept, probation, entries, evicted }).toEqual({ kept: 80_000, probation: 0, entries: 80, evicted: 120 })
    expect(memory.get('page 199')).toBeDefined()
    expect(memory.get('page 0')).toBeUndefined()
  })

  /** Requests pages of 10 KB, whose keys clients name, as a gateway does. Returns the share of hits for known pages. */
  const hitRate = (limitBytes: number, { uses = 0, hasMark = false }: { uses?: number; hasMark?: boolean }) => {
    const memory = createPageMemory({ limitBytes })
    const random = createRandom(1)
    const request = (key: string) => {
      const isHit = memory.get(key) !== undefined
      if (!isHit) memory.set(entry(key, 10_000), false)
      return isHit
    }
    const requestKnown = () => request(`known ${random.below(1000)}`)
    for (let index = 0; index < 20_000; index++) requestKnown()
    if (hasMark) for (let index = 0; index < 1000; index++) memory.delete(`known ${index}`)
    let hits = 0
    for (let index = 0; index < 10_000; index++) {
      if (requestKnown()) hits++
      for (let slug = 0; slug < 10; slug++) for (let use = 0; use < uses; use++) request(`random ${index} ${slug}`)
    }
    return hits / 10_000
  }

  it.each([
    ['once', 32_000_000, { uses: 1 }],
    ['once, with little room left', 16_000_000, { uses: 1 }],
    ['once, after a mark has removed all known pages', 16_000_000, { uses: 1, hasMark: true }],
    ['twice', 16_000_000, { uses: 2 }],
  ])(
    'C7 100 000 invented pages, requested %s, take at most 2 points of the hits of 1 000 known pages',
    (_how, limit, how) => {
      const [alone, among] = [hitRate(limit, { ...how, uses: 0 }), hitRate(limit, how)]
      expect(alone).toBeGreaterThan(0.85)
      expect(among).toBeGreaterThan(alone - 0.02)
    },
  )

  it('C7 pages that were requested once take a fifth of the bytes at most', () => {
    const memory = createPageMemory({ limitBytes: 10_000_000 })
    for (let index = 0; index < 5000; index++) {
      memory.get(`page ${index}`)
      memory.set(entry(`page ${index}`, 10_000), false)
    }
    expect(memory.figures().probation).toBe(2_000_000)
    // Counters are shared by keys, so that few seem to be used twice.
    expect(memory.figures().kept).toBeLessThan(100_000)
  })

  it('C7 refuses an entry that takes more than a sixteenth, and drops the entry that it replaces', () => {
    const memory = createPageMemory({ limitBytes: 160_000 })
    expect(memory.set(entry('page', 10_000), true)).toBe(true)
    expect(memory.set(entry('page', 10_001), true)).toBe(false)
    expect(memory.get('page')).toBeUndefined()
  })

  it('C7 counts compressed forms, and only those of an entry that it has', () => {
    const memory = createPageMemory({ limitBytes: 160_000 })
    const [first, second] = [entry('page'), entry('page')]
    memory.set(first, true)
    first.bytes += 500
    memory.grown(first)
    expect(memory.figures().kept).toBe(1500)
    memory.set(second, true)
    memory.grown(first)
    expect(memory.figures().kept).toBe(1000)
    expect(memory.get('page')).toBe(second)
  })

  it('C7 a page in probation is kept from its second use on, also after a refresh', () => {
    const memory = createPageMemory({ limitBytes: 100_000 })
    memory.get('page')
    memory.set(entry('page'), false)
    expect(memory.figures()).toMatchObject({ kept: 0, probation: 1000 })
    memory.get('page')
    expect(memory.figures()).toMatchObject({ kept: 1000, probation: 0 })
    memory.set(entry('page'), false)
    expect(memory.figures()).toMatchObject({ kept: 1000, probation: 0, entries: 1 })
    memory.delete('page')
    expect(memory.figures()).toMatchObject({ kept: 0, entries: 0, evicted: 0 })
  })
})
