// The token of the stack, which the gateway needs for its own inner port and for requests to that of renderers.

import { loadSecret, type SecretStore } from '@portico/shared/kit/config/secrets.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'

/** Pause between two attempts to read the token, and the time limit of one. */
const PAUSE_MS = 1000

export interface StackToken {
  /** Undefined while the state store has not been read. */
  get(): string | undefined
  close(): void
}

interface StackTokenOptions {
  /** STACK_TOKEN, if it is set. */
  stackToken: string | undefined
  /** Reads the token from where it is kept; rejects while it is not known. */
  load: () => Promise<string>
  log: Log
}

/** Reads the token from the state store, within the time limit of one attempt. */
export function loadStackToken({ stateRedisUrl, dataDir }: SecretStore): Promise<string> {
  return loadSecret('stack-token', { stateRedisUrl, dataDir, waitMs: PAUSE_MS })
}

/**
 * Reads the token once, as soon as the state store responds; resolves after the first attempt and does not reject: without
 * the token the gateway serves pages and refuses control requests.
 */
export async function followStackToken({ stackToken, load, log }: StackTokenOptions): Promise<StackToken> {
  let token = stackToken
  let timer: NodeJS.Timeout | undefined
  const attempt = async (): Promise<void> => {
    try {
      token ??= await load()
    } catch (error) {
      log.warn({ event: 'stack-token-unknown', error }, 'token of the stack not read from the state store')
      timer = setTimeout(attempt, PAUSE_MS).unref()
    }
  }
  await attempt()
  return { get: () => token, close: () => clearTimeout(timer) }
}
