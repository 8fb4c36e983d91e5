// What the processes that serve clients need of the one that owns it, with the token of the stack for the inner ports.
// In a gateway of one process both are the same process.

import type { GenerationReader } from '@portico/shared/kit/feed/generations.ts'
import type { ClientLimit } from '@portico/shared/kit/limits/client-limit.ts'
import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { HeldKeyring } from '@portico/shared/kit/secrets/holder.ts'
import { createUnknownLog } from '@portico/shared/kit/secrets/keyring.ts'
import { loadSecretFile, openTokenSetting, type SecretSettings } from '@portico/shared/kit/secrets/open-secrets.ts'

/** Pause between two attempts to read the token, and the time limit of the first one. */
const PAUSE_MS = 1000

export interface StackToken {
  /** Undefined while the token is not known. */
  current(): string | undefined
  close(): void
}

/** With what the inner port accepts. */
export type OwnStackToken = StackToken & HeldKeyring

/**
 * Opens the token of the settings or of the state store. Resolves after the first attempt to read the store and does not
 * reject for a fault of the store: without the token the gateway serves pages and refuses control requests.
 */
export async function openStackToken(
  { stackToken, stateRedisUrl, dataDir }: Omit<SecretSettings, 'actionKeys'>,
  log: Log,
): Promise<OwnStackToken> {
  if (stackToken !== undefined) return { ...openTokenSetting(stackToken, log), close() {} }
  if (!stateRedisUrl) {
    const noteUnknown = createUnknownLog({ secret: 'stack-token', log })
    const token = await followStackToken({ load: () => loadSecretFile('stack-token', dataDir), isFixed: true, log })
    const accepted = () => [token.current()].filter((value) => value !== undefined)
    return { ...token, accepted, noteUnknown }
  }
  const { followSecrets } = await import('@portico/shared/kit/secrets/follow-secrets.ts')
  const { rings, checked, close } = followSecrets(['stack-token'], stateRedisUrl, log)
  await checked(PAUSE_MS)
  return { ...rings['stack-token'], close }
}

interface FollowOptions {
  /** Reads the token; rejects while it is not known. */
  load: () => Promise<string>
  /** The token that was read remains the same. */
  isFixed: boolean
  log: Log
}

/** Reads the token each second; resolves after the first attempt and does not reject. */
export async function followStackToken({ load, isFixed, log }: FollowOptions): Promise<StackToken> {
  let token: string | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const attempt = async (): Promise<void> => {
    try {
      token = await load()
    } catch (error) {
      // A token that was known counts: services accept it for a day after a newer one.
      if (token === undefined) log.warn({ event: 'stack-token-unknown', error }, 'token of the stack not read')
    }
    if (!isClosed && !(isFixed && token !== undefined)) timer = setTimeout(attempt, PAUSE_MS).unref()
  }
  await attempt()
  return {
    current: () => token,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** Name of the connections to the marks in Redis. */
export const MARKS_CLIENT = 'portico-gateway'

export interface Control {
  /** Reads the marks of the state store. Undefined where no pages are kept. */
  marks: GenerationReader | undefined
  token: Pick<StackToken, 'current'>
  /** Undefined where no limit is set. */
  postLimit: ClientLimit | undefined
  /** Resolves when the files of the build are published, or could not be: no page is sent before. */
  published(): Promise<void>
}
