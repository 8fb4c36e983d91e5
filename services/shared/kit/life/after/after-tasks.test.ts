// Work behind responses: order, limits, errors, and what a stop waits for. Only the clock is faked.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../../observe/log.ts'
import { AFTER_TASKS_LIMIT, AFTER_TASKS_OF_REQUEST, AFTER_TIMEOUT_MS } from '../../testing.ts'
import { type AfterTasks, createAfterTasks } from './after-tasks.ts'

let lines: Record<string, unknown>[]
let after: AfterTasks

beforeEach(() => {
  vi.useFakeTimers()
  lines = []
  after = createAfterTasks(createLog('test', 'info', { write: (text) => void lines.push(JSON.parse(text)) }))
})
afterEach(() => vi.useRealTimers())

const settled = () => vi.advanceTimersByTimeAsync(0)

test('F1 tasks wait for the response, and run immediately after it', async () => {
  const ran: string[] = []
  const { add, start } = after.begin('r1')
  add('/a', () => void ran.push('first'))
  add('/a', () => add('/a', () => void ran.push('of a task')))
  await settled()
  expect([ran, after.unfinished()]).toEqual([[], ['/a', '/a']])
  start()
  await settled()
  expect([ran, after.unfinished()]).toEqual([['first', 'of a task'], []])
})

test('F1 a task above the limit of a request is not run, and the log names it', async () => {
  const run = vi.fn()
  const { add, start } = after.begin('r1')
  start()
  for (let n = 0; n <= AFTER_TASKS_OF_REQUEST; n++) {
    add(`/page ${n}`, run)
    await settled()
  }
  expect(run).toHaveBeenCalledTimes(AFTER_TASKS_OF_REQUEST)
  expect(lines).toEqual([
    expect.objectContaining({
      event: 'after-refused',
      level: 'warn',
      name: `/page ${AFTER_TASKS_OF_REQUEST}`,
      requestId: 'r1',
      limit: AFTER_TASKS_OF_REQUEST,
    }),
  ])
})

test('F1 a task above the limit of the process is not run until another one has ended', async () => {
  const work = Promise.withResolvers<void>()
  const addOne = (name: string) => {
    const { add, start } = after.begin(name)
    add(name, () => work.promise)
    start()
  }
  for (let n = 0; n < AFTER_TASKS_LIMIT; n++) addOne('/busy')
  addOne('/refused')
  expect(lines).toMatchObject([{ event: 'after-refused', name: '/refused', limit: AFTER_TASKS_LIMIT }])
  work.resolve()
  await settled()
  addOne('/again')
  expect(lines).toHaveLength(1)
})

test('F1 tasks that wait for the end of a stream take no place of tasks that run', async () => {
  for (let n = 0; n <= AFTER_TASKS_LIMIT; n++) after.begin(`stream ${n}`).add('/stream', () => {})
  const run = vi.fn()
  const { add, start } = after.begin('r1')
  add('/page', run)
  start()
  await settled()
  expect([run.mock.calls.length, lines]).toEqual([1, []])
})

test('E4 an error and a task that is too late give one log line each, with a digest; the signal aborts', async () => {
  const { add, start } = after.begin('r1')
  let aborted: unknown
  add('/throws', () => {
    throw new Error('no')
  })
  add('/late', (signal) => {
    signal.addEventListener('abort', () => (aborted = signal.reason))
    return new Promise(() => {})
  })
  start()
  await vi.advanceTimersByTimeAsync(AFTER_TIMEOUT_MS - 1)
  expect(lines).toMatchObject([{ name: '/throws', error: { message: 'no' }, digest: expect.any(String) }])
  await vi.advanceTimersByTimeAsync(1)
  const message = `after() of /late took longer than ${AFTER_TIMEOUT_MS} ms`
  expect(lines.slice(1)).toMatchObject([{ name: '/late', error: { message }, digest: expect.any(String) }])
  expect(aborted).toMatchObject({ message })
  expect(after.unfinished()).toEqual([])
})

test('O5 idle() waits for tasks that wait and tasks that run', async () => {
  await after.idle()
  const work = Promise.withResolvers<void>()
  const { add, start } = after.begin('r1')
  add('/a', () => work.promise)
  const isIdle = vi.fn()
  void after.idle().then(isIdle)
  await settled()
  start()
  await settled()
  expect(isIdle).not.toHaveBeenCalled()
  work.resolve()
  await settled()
  expect(isIdle).toHaveBeenCalled()
})
