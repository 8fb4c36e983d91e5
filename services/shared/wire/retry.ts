// The one rule for requests that are sent again (D4): which delay precedes the next attempt, and the loop.

import { LONGEST_RETRY_PAUSE_MS, RETRY_JITTER, RETRY_PAUSES_MS } from './constants.ts'

export interface RetryOptions {
  /** What ends an attempt without a result: a response with a status from 500 on, a failed connection. */
  repeats: { serverErrors?: boolean; networkErrors?: boolean }
  signal?: AbortSignal
  /** Waits; rejects when the signal aborts. */
  pause?: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** From 0 to 1, default `Math.random`. */
  random?: () => number
  /** Milliseconds since the epoch, default `Date.now`. */
  now?: () => number
  /** Milliseconds in which all attempts and pauses must end: no attempt begins after them. */
  leftMs?: () => number
}

/**
 * Milliseconds before the next request; undefined when no request follows. `attempt` counts from 0; `response` is
 * undefined after a failed connection.
 */
export function nextDelay(
  response: Pick<Response, 'headers'> | undefined,
  attempt: number,
  { now, random }: { now: number; random: number },
): number | undefined {
  const pauseMs = RETRY_PAUSES_MS[attempt]
  if (pauseMs === undefined) return undefined
  const requestedMs = parseRetryAfter(response?.headers.get('retry-after') ?? '', now)
  const delayMs = requestedMs ?? pauseMs * (1 + RETRY_JITTER * (random * 2 - 1))
  return delayMs > LONGEST_RETRY_PAUSE_MS ? undefined : delayMs
}

/** Milliseconds that Retry-After demands: seconds or an HTTP date (RFC 9110 section 10.2.3); undefined for anything else. */
export function parseRetryAfter(value: string, now: number): number | undefined {
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const date = value.endsWith(' GMT') ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Repeats until an attempt has a result or was the last one; returns or throws the result of the last attempt. */
export async function fetchWithRetries(send: () => Promise<Response>, options: RetryOptions): Promise<Response> {
  const { repeats, signal, pause = pauseFor, random = Math.random, now = Date.now, leftMs } = options
  for (let attempt = 0; ; attempt++) {
    const result = await send().then(
      (response) => ({ response, isRepeated: repeats.serverErrors === true && response.status >= 500 }),
      (error: unknown) => ({ error, isRepeated: repeats.networkErrors === true && !signal?.aborted }),
    )
    const response = 'response' in result ? result.response : undefined
    const delayMs = result.isRepeated ? nextDelay(response, attempt, { now: now(), random: random() }) : undefined
    if (delayMs === undefined || (leftMs && delayMs >= leftMs())) {
      if ('error' in result) throw result.error
      return result.response
    }
    await response?.body?.cancel()
    await pause(delayMs, signal)
  }
}

function pauseFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, milliseconds)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}
