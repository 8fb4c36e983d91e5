import { createLog } from '@portico/shared/kit/observe/log.ts'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { followStackToken } from './stack-token.ts'

const log = createLog('gateway', 'silent')
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** What the primary process responds, in turns; undefined: it knows no token. */
async function follow(responses: (string | undefined)[], isFixed = false) {
  let calls = 0
  const load = async () => {
    const response = responses[Math.min(calls++, responses.length - 1)]
    if (response === undefined) throw new Error('unknown')
    return response
  }
  const token = await followStackToken({ load, isFixed, log })
  onTestFinished(token.close)
  return { token, calls: () => calls }
}

test('O10 a worker takes another token of the primary within a second, and keeps one that it knew', async () => {
  const { token } = await follow([undefined, 'a', undefined, 'b'])
  const seen: (string | undefined)[] = [token.current()]
  for (let second = 0; second < 3; second++) {
    await vi.advanceTimersByTimeAsync(1000)
    seen.push(token.current())
  }
  expect(seen).toEqual([undefined, 'a', 'a', 'b'])
})

test('O9 a token of a file is read until it is known, and not again', async () => {
  const { token, calls } = await follow([undefined, 'a', 'b'], true)
  await vi.advanceTimersByTimeAsync(5000)
  expect([token.current(), calls()]).toEqual(['a', 2])
})

test('O10 no token is read after the end', async () => {
  const { token, calls } = await follow(['a', 'b'])
  token.close()
  await vi.advanceTimersByTimeAsync(5000)
  expect([token.current(), calls()]).toEqual(['a', 1])
})
