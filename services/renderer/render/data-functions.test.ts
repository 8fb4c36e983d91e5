// The time limit of data functions, with a fake clock.

import { DATA_FUNCTION_TIMEOUT_MS } from '@portico/shared/wire/constants.ts'
import { redirect } from '@portico/shared/wire/errors/control-flow.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ArrivingBody, callDataFunction } from './data-functions.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function call(run: () => unknown, work = new AbortController(), body?: ArrivingBody) {
  return callDataFunction({
    route: '/test',
    name: 'getServerSideProps',
    run,
    work,
    context: {},
    body,
    failureOf: () => ({ digest: 'd' }),
  })
}

test('D4 a data function has 10 s, then its work is aborted', async () => {
  const work = new AbortController()
  const result = call(() => new Promise(() => {}), work).catch((error: Error) => error.message)
  await vi.advanceTimersByTimeAsync(9_999)
  expect(work.signal.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await result).toBe('getServerSideProps of /test took longer than 10000 ms')
  expect([work.signal.aborted, DATA_FUNCTION_TIMEOUT_MS]).toEqual([true, 10_000])
})

test('A7 a data function that reads a body has 10 s after its end, and not longer', async () => {
  const work = new AbortController()
  const ends: (() => void)[] = []
  let isArriving = true
  const body = { onceRead: (listener: () => void) => ends.push(listener), isArriving: () => isArriving }
  const result = call(() => new Promise(() => {}), work, body).catch((error: Error) => error.message)
  await vi.advanceTimersByTimeAsync(15_000)
  isArriving = false
  for (const end of ends) end()
  await vi.advanceTimersByTimeAsync(9_999)
  expect(work.signal.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await result).toBe('getServerSideProps of /test took longer than 10000 ms')
})

test('D4 a data function that ends clears its timer, however it ends', async () => {
  const ways: (() => unknown)[] = [
    () => ({ props: {} }),
    async () => ({ props: {} }),
    () => {
      throw new Error('immediately')
    },
    () => Promise.reject(new Error('later')),
    () => redirect('/x'),
    () => 'rubbish',
  ]
  for (const run of ways) {
    const work = new AbortController()
    await call(run, work).catch(() => {})
    expect(vi.getTimerCount()).toBe(0)
    expect(work.signal.aborted).toBe(false)
  }
})

test('D2 props may be a promise', async () => {
  expect(await call(() => ({ props: Promise.resolve({ a: 1 }) }))).toMatchObject({ kind: 'props', props: { a: 1 } })
})

test('D2 revalidate true is a second, false and none are for ever', async () => {
  for (const [revalidate, seconds] of [
    [true, 1],
    [0.5, 0.5],
    [false, undefined],
    [undefined, undefined],
  ] as const)
    expect(await call(() => ({ props: {}, revalidate }))).toMatchObject({ revalidateSeconds: seconds })
})
