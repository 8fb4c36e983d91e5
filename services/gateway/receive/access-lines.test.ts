import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAccessLines } from './access-lines.ts'

let lines: Record<string, unknown>[] = []

beforeEach(() => {
  vi.useFakeTimers()
  lines = []
})
afterEach(() => void vi.useRealTimers())

const open = (most: number) =>
  createAccessLines({
    log: pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    most,
  })
const written = (mayWrite: ReturnType<typeof open>, client: string, count: number, status = 200) =>
  Array.from({ length: count }, () => mayWrite(client, status)).filter(Boolean).length

describe('access lines', () => {
  it('G7 of one client are written up to the limit of a second, and the rest is one line by status', () => {
    const mayWrite = open(100)
    expect([written(mayWrite, 'a', 900), written(mayWrite, 'a', 7, 499), written(mayWrite, 'b', 3)]).toEqual([
      100, 0, 3,
    ])
    expect(lines).toEqual([])
    vi.advanceTimersByTime(1000)
    expect(lines).toEqual([
      { level: 30, event: 'requests', notLogged: 807, statuses: { 200: 800, 499: 7 }, msg: 'requests of one client' },
    ])
  })

  it('G7 begin again with each second, with a report before them', () => {
    const mayWrite = open(2)
    for (let second = 0; second < 3; second++) {
      expect(written(mayWrite, 'a', 5)).toBe(2)
      vi.advanceTimersByTime(1001)
    }
    expect(lines.map(({ notLogged }) => notLogged)).toEqual([3, 3, 3])
  })

  it('G7 of more clients than are remembered share one limit', () => {
    const mayWrite = open(1)
    for (let client = 0; client < 10_000; client++) expect(mayWrite(`${client}`, 200)).toBe(true)
    expect([mayWrite('new', 200), mayWrite('other', 200), mayWrite('0', 200)]).toEqual([true, false, false])
  })
})
