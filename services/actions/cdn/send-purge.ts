// One request to CDN_PURGE_URL (C6). purger.ts decides what is sent, and when it is sent again.

import { parseRetryAfter } from '@portico/shared/wire/retry.ts'

/** The body, as JSON: every page, or the pages with one of the tags. */
interface PurgeMessage {
  everything: boolean
  tags: readonly string[]
}

/** The request failed, or its response was no success. */
export class PurgeError extends Error {
  override name = 'PurgeError'
  /** What Retry-After demands. */
  readonly retryAfterMs: number
  constructor(message: string, { retryAfterMs = 0, cause }: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause })
    this.retryAfterMs = retryAfterMs
  }
}

const TIMEOUT_MS = 10_000

export interface PurgeTarget {
  url: URL
  authorization: string | undefined
}

export type PurgeSender = (message: PurgeMessage, signal: AbortSignal) => Promise<void>

/** The sender rejects with PurgeError. */
export function createPurgeSender({ url, authorization }: PurgeTarget, timeoutMs = TIMEOUT_MS): PurgeSender {
  const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) }
  return async function sendPurge(message, signal) {
    const body = JSON.stringify(message)
    const late = AbortSignal.timeout(timeoutMs)
    // SECURITY: the authorization must not follow a redirect to another host.
    const options = {
      method: 'POST',
      headers,
      body,
      redirect: 'error',
      signal: AbortSignal.any([signal, late]),
    } as const
    const response = await fetch(url, options).catch((cause: unknown) => {
      throw new PurgeError(late.aborted ? `no response within ${timeoutMs} ms` : 'the request failed', { cause })
    })
    await response.body?.cancel()
    if (response.ok) return
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? '', Date.now()) ?? 0
    throw new PurgeError(`the response has the status ${response.status}`, { retryAfterMs })
  }
}
