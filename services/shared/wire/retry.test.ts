import { describe, expect, test } from 'vitest'
import { fetchWithRetries, type RetryOptions } from './retry.ts'
import { nextDelay } from './testing.ts'

const NOW = Date.parse('Sun, 22 Nov 2026 10:00:00 GMT')

describe('the delay before the next request', () => {
  test.each([
    [0, 0.5, undefined, 250],
    [1, 0.5, undefined, 500],
    [2, 0.5, undefined, 1000],
    [3, 0.5, undefined, undefined],
    [0, 0, undefined, 125],
    [2, 1, undefined, 1500],
    [0, 0.5, '0', 0],
    [0, 0.5, '2', 2000],
    [0, 0.5, '5', 5000],
    [0, 0.5, '6', undefined],
    [3, 0.5, '0', undefined],
    [0, 0.5, 'Sun, 22 Nov 2026 10:00:03 GMT', 3000],
    [0, 0.5, 'Sun, 22 Nov 2026 09:00:00 GMT', 0],
    [0, 0.5, 'Sun, 22 Nov 2026 11:00:00 GMT', undefined],
    [0, 0.5, 'soon', 250],
    [0, 0.5, '1.5', 250],
    [0, 0.5, '-1', 250],
  ])('D4 attempt %s, random %s, Retry-After %s: %s ms', (attempt, random, retryAfter, expected) => {
    const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter })
    expect(nextDelay({ headers }, attempt, { now: NOW, random })).toBe(expected)
  })
})

describe('the loop', () => {
  type Attempt = number | Error

  async function run(attempts: Attempt[], repeats: RetryOptions['repeats'], signal?: AbortSignal) {
    const left = [...attempts]
    const pauses: number[] = []
    const send = async () => {
      const next = left.shift() ?? 200
      if (next instanceof Error) throw next
      return new Response('body', { status: next })
    }
    const end = await fetchWithRetries(send, {
      repeats,
      ...(signal && { signal }),
      random: () => 0.5,
      pause: async (milliseconds) => void pauses.push(milliseconds),
    }).then(
      ({ status }) => status,
      (error: Error) => error.message,
    )
    return [end, pauses]
  }

  const broken = new Error('broken')
  test.each<[Attempt[], RetryOptions['repeats'], unknown, number[]]>([
    [[200], { serverErrors: true }, 200, []],
    [[503, 500], { serverErrors: true }, 200, [250, 500]],
    [[503, 503, 503, 503], { serverErrors: true }, 503, [250, 500, 1000]],
    [[429], { serverErrors: true, networkErrors: true }, 429, []],
    [[503], { networkErrors: true }, 503, []],
    [[broken, broken], { networkErrors: true }, 200, [250, 500]],
    [[broken, 502], { serverErrors: true, networkErrors: true }, 200, [250, 500]],
    [[broken, broken, broken, broken], { networkErrors: true }, 'broken', [250, 500, 1000]],
    [[broken], { serverErrors: true }, 'broken', []],
  ])('D4 %j repeated for %j ends with %s', async (attempts, repeats, end, pauses) => {
    expect(await run(attempts, repeats)).toEqual([end, pauses])
  })

  test('D4 an aborted request is not sent again', async () => {
    expect(await run([broken], { networkErrors: true }, AbortSignal.abort())).toEqual(['broken', []])
  })

  test('D4 an abort ends the pause with its reason', async () => {
    const work = new AbortController()
    let requests = 0
    const send = async () => {
      requests++
      setTimeout(() => work.abort(new Error('the client disconnected')))
      return new Response(null, { status: 503 })
    }
    const call = fetchWithRetries(send, { repeats: { serverErrors: true }, signal: work.signal })
    await expect(call).rejects.toThrow('the client disconnected')
    expect(requests).toBe(1)
  })
})
