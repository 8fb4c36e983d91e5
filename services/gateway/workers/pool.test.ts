// The watch over workers, without processes.

import { createLog } from '@portico/shared/kit/observe/log.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Member } from './member.ts'
import { createPool } from './pool.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

async function startPool() {
  const state = { heardAt: 0, killed: 0 }
  const member = {
    id: 1,
    startedAt: 0,
    started: Promise.resolve(),
    exited: new Promise<never>(() => {}),
    isListening: () => true,
    hasExited: () => false,
    awaited: () => [],
    heardAt: () => state.heardAt,
    apply: async () => {},
    retire: async () => {},
    refresh: async () => {},
    snapshot: () => undefined,
    explain: () => new Promise<never>(() => {}),
    kill: () => void state.killed++,
  } satisfies Member
  const log = createLog('gateway', 'silent')
  await createPool({
    count: 1,
    fork: () => member,
    deadlineMs: 1000,
    onEnded: () => {},
    onCrash: () => {},
    log,
  }).start()
  return state
}

it('O1 a worker that reports nothing for half a minute is killed', async () => {
  const state = await startPool()
  for (let second = 1; second <= 60; second++) {
    state.heardAt = performance.now()
    vi.advanceTimersByTime(1000)
  }
  expect(state.killed).toBe(0)
  vi.advanceTimersByTime(28_000)
  expect(state.killed).toBe(0)
  vi.advanceTimersByTime(3000)
  expect(state.killed).toBeGreaterThan(0)
})

it('O1 a pause of the whole gateway kills no worker: its reports are read after the first timers', async () => {
  const state = await startPool()
  vi.advanceTimersByTime(2000)
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_600_000)
  vi.advanceTimersByTime(1000)
  clock.mockRestore()
  expect(state.killed).toBe(0)
})
