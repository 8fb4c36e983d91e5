import { expect, test } from 'vitest'
import type { Log } from '../observe/log.ts'
import { CannotServeError, warmUp } from './warm-up.ts'

function setUp(faults: unknown[]) {
  const lines: unknown[] = []
  const pauses: number[] = []
  const reasons: string[] = []
  // The only method of the log that a warm-up uses.
  const log = { error: (fields: unknown) => lines.push(fields) } as unknown as Log
  const warming = warmUp({
    log,
    warm: async () => {
      if (faults.length > 0) throw faults.shift()
    },
    onFault: (reason) => reasons.push(reason),
    pause: async (milliseconds) => pauses.push(milliseconds),
  })
  return { warming, lines, pauses, reasons }
}

test('O4 tries again with a growing pause, and reports the reason each time', async () => {
  const { warming, lines, pauses, reasons } = setUp(Array.from({ length: 7 }, (_, at) => new Error(`away ${at}`)))
  await warming
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000])
  expect(reasons.at(-1)).toBe('away 6')
  expect(lines[0]).toMatchObject({ event: 'warm-up-failed', attempt: 1, pauseMs: 500, error: { message: 'away 0' } })
})

test('O4 rejects with a fault that this process cannot remove', async () => {
  const fault = new CannotServeError('pages/a.tsx throws')
  const { warming, pauses } = setUp([new Error('away'), fault])
  await expect(warming).rejects.toBe(fault)
  expect(pauses).toEqual([500])
})
