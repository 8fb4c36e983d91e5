// When the page's data is requested again after an edit, with a fake clock.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { DevPage } from '../hosts.ts'
import { createRefresher } from './receive-message.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setUp() {
  const refresh = vi.fn(async () => {})
  const reload = vi.fn()
  const refresher = createRefresher({ reload, documentStatus: 200, documentBuild: 'one' })
  return {
    refresh,
    reload,
    refresher,
    start: () => refresher.start({ refresh, events: { on() {} } } as unknown as DevPage),
  }
}

it('V1 requests data once for messages in quick succession', () => {
  const { refresh, refresher, start } = setUp()
  start()
  refresher.refresh()
  vi.advanceTimersByTime(3)
  refresher.refresh()
  vi.advanceTimersByTime(4)
  expect(refresh).toHaveBeenCalledTimes(1)
})

it('V1 requests data for a new module after the module was replaced', () => {
  const { refresh, refresher, start } = setUp()
  start()
  refresher.replacing()
  vi.advanceTimersByTime(10)
  refresher.refresh()
  vi.advanceTimersByTime(19)
  expect(refresh).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(refresh).toHaveBeenCalledTimes(1)
})

it('V1 reloads a page that never started', () => {
  const { refresh, reload, refresher } = setUp()
  refresher.refresh()
  vi.advanceTimersByTime(4)
  expect([refresh.mock.calls.length, reload.mock.calls.length]).toEqual([0, 1])
})

it('V1 reloads a page whose data the server has in another build only', () => {
  const { refresh, reload, refresher, start } = setUp()
  start()
  refresher.noteBuild('two')
  expect(reload).not.toHaveBeenCalled()
  refresher.refresh()
  vi.advanceTimersByTime(4)
  expect([refresh.mock.calls.length, reload.mock.calls.length]).toEqual([0, 1])
  // The edit was undone.
  refresher.noteBuild('one')
  refresher.refresh()
  vi.advanceTimersByTime(4)
  expect([refresh.mock.calls.length, reload.mock.calls.length]).toEqual([1, 1])
})
