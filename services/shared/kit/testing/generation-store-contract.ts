// The contract of every store of generations and marks. Each implementation runs this suite.

import { describe, expect, it } from 'vitest'
import { type GenerationStore, MAX_MARKS } from '../feed/generations.ts'

/** `open` opens the same empty store each time it is called within a test. */
export function describeGenerationStore(name: string, open: () => GenerationStore): void {
  const paths = (...names: string[]) => ({ paths: names, tags: [] })

  describe(`generations: ${name}`, () => {
    it('C5 has no epoch and no generation before the first change', async () => {
      expect(await open().read(0)).toEqual({ epoch: '', generation: 0, floor: 0, marks: [] })
    })

    it('C5 counts by the clock, and by one within a millisecond', async () => {
      const store = open()
      const before = Date.now()
      const first = await store.raise(paths('/a'))
      expect(first.generation).toBeGreaterThanOrEqual(before)
      const raised = await Promise.all(Array.from({ length: 50 }, () => store.raise(paths('/a'))))
      const generations = [first, ...raised].map(({ generation }) => generation)
      expect(new Set(generations).size).toBe(51)
      expect(generations).toEqual(generations.toSorted((left, right) => left - right))
      expect(new Set(raised.map(({ epoch }) => epoch))).toEqual(new Set([first.epoch]))
      expect(first.epoch).not.toBe('')
    })

    it('C5 lists each name with its last generation, later than the requested one, to every process', async () => {
      const store = open()
      const one = await store.raise({ paths: ['/a', '/b c\u00e9'], tags: ['/a'] })
      const two = await store.raise({ paths: ['/a'], tags: ['t'] })
      const other = open()
      const { epoch, generation, floor, marks } = await other.read(0)
      expect({ epoch, generation, floor }).toEqual({ ...two, floor: 0 })
      expect(marks).toHaveLength(4)
      expect(marks).toEqual(
        expect.arrayContaining([
          { kind: 'path', name: '/a', generation: two.generation },
          { kind: 'path', name: '/b c\u00e9', generation: one.generation },
          { kind: 'tag', name: '/a', generation: one.generation },
          { kind: 'tag', name: 't', generation: two.generation },
        ]),
      )
      expect((await other.read(one.generation)).marks.map(({ name }) => name).toSorted()).toEqual(['/a', 't'])
      expect((await other.read(two.generation)).marks).toEqual([])
    })

    it('C5 raises the floor instead of marks when everything changes', async () => {
      const store = open()
      await store.raise(paths('/a'))
      const { generation, epoch } = await store.raise({ paths: [], tags: [], everything: true })
      expect(await store.read(0)).toEqual({ epoch, generation, floor: generation, marks: [] })
      const after = await store.raise(paths('/a'))
      expect((await store.read(0)).marks).toEqual([{ kind: 'path', name: '/a', generation: after.generation }])
    })

    it('C5 keeps the latest 10 000 marks and raises the floor to the last removed one', async () => {
      const store = open()
      const first = await store.raise(paths('/first', '/second'))
      const names = Array.from({ length: MAX_MARKS - 1 }, (_, at) => `/${at}`)
      await store.raise({ paths: names, tags: [] })
      const { floor, marks } = await store.read(0)
      expect(floor).toBe(first.generation)
      const later = marks.filter(({ generation }) => generation > floor)
      expect(later).toHaveLength(MAX_MARKS - 1)
      expect(marks.length).toBeLessThanOrEqual(MAX_MARKS)
    })
  })
}
