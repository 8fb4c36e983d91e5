import { expect, it, vi } from 'vitest'
import { createTurns } from './turns.ts'

/** Work that ends when the test says so, and its name when it has begun. */
function createWork() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<string>((done) => ends.set(name, () => done(name)))
  }
  return { begun, work, end: (name: string) => ends.get(name)?.() }
}

it('A9 as much work runs as may, the rest in the order of its arrival', async () => {
  const { begun, work, end } = createWork()
  const inTurn = createTurns({ running: 2, waiting: 9, waitMs: 60_000 })
  const all = ['a', 'b', 'c', 'd'].map((name) => inTurn(work(name)))
  expect(begun).toEqual(['a', 'b'])
  end('b')
  await all[1]
  expect(begun).toEqual(['a', 'b', 'c'])
  end('a')
  end('c')
  await Promise.all([all[0], all[2]])
  end('d')
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
  const last = inTurn(work('e'))
  expect(begun.at(-1)).toBe('e')
  end('e')
  await last
})

it('A9 more work than may wait is rejected immediately', async () => {
  const { work } = createWork()
  const inTurn = createTurns({ running: 1, waiting: 1, waitMs: 60_000 })
  void inTurn(work('a'))
  void inTurn(work('b'))
  await expect(inTurn(work('c'))).rejects.toThrow('1 others wait for the database')
})

it('A9 work that waited too long never begins, and work that fails hands its place over', async () => {
  vi.useFakeTimers()
  try {
    const { begun, work } = createWork()
    const inTurn = createTurns({ running: 1, waiting: 9, waitMs: 5000 })
    let fail = (_error: Error) => {}
    const failing = inTurn(() => new Promise<never>((_resolve, reject) => (fail = reject)))
    const late = expect(inTurn(work('late'))).rejects.toThrow('no free connection for 5000 ms')
    await vi.advanceTimersByTimeAsync(4999)
    const next = inTurn(work('next'))
    await vi.advanceTimersByTimeAsync(1)
    await late
    fail(new Error('broken'))
    await expect(failing).rejects.toThrow('broken')
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toEqual(['next'])
    void next
  } finally {
    vi.useRealTimers()
  }
})
