// The bounds of the memory, and the probation of pages that clients name.

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

  it('C7 100 000 pages that were requested once displace no page that is requested again', () => {
    const memory = createPageMemory({ limitBytes: 1_000_000 })
    const known = Array.from({ length: 700 }, (_, index) => `known ${index}`)
    for (const key of known) {
      memory.set(entry(key), false)
      memory.get(key)
    }
    for (let index = 0; index < 100_000; index++) memory.set(entry(`random ${index}`), false)
    expect(known.filter((key) => memory.get(key) === undefined)).toEqual([])
    expect(memory.figures().probation).toBeLessThanOrEqual(200_000)
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
