import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchWaiting } from './watch-waiting.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Advances to each second and returns what it logged. */
function watch() {
  const state = { reasons: [] as string[] }
  let lines: string[] = []
  const line = (level: string) => (fields: { event: string; waiting?: string[] }) =>
    void lines.push([level, fields.event, ...(fields.waiting ?? [])].join(' '))
  watchWaiting(() => state.reasons, { info: line('info'), warn: line('warn') } as Parameters<typeof watchWaiting>[1])
  const seconds = (count: number): string[] => {
    lines = []
    vi.advanceTimersByTime(1000 * count)
    return lines
  }
  return { state, seconds }
}

it('O12 each change of what a gateway waits for is one line, and its end another one', () => {
  const { state, seconds } = watch()
  state.reasons = ['renderer', 'actions']
  expect(seconds(5)).toEqual(['info waiting renderer actions'])
  state.reasons = ['actions']
  expect(seconds(5)).toEqual(['info waiting actions'])
  state.reasons = []
  expect(seconds(1)).toEqual(['info waited'])
  state.reasons = ['what is lost later']
  expect(seconds(60)).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

it('O12 a gateway that waits longer than a usual start warns once, and of each change', () => {
  const { state, seconds } = watch()
  state.reasons = ['renderer', 'actions']
  expect(seconds(15)).toEqual(['info waiting renderer actions'])
  expect(seconds(600)).toEqual(['warn waiting renderer actions'])
  state.reasons = ['renderer']
  expect(seconds(600)).toEqual(['warn waiting renderer'])
  state.reasons = []
  expect(seconds(1)).toEqual(['info waited'])
})

it('O12 a gateway that has nothing to wait for logs nothing', () => {
  expect(watch().seconds(600)).toEqual([])
})
