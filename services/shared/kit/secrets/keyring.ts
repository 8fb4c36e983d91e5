// The secrets of one name that count now. What signs, seals or compares asks for them at each use, because another service
// may have stored another one (O10).

import type { Log } from '../observe/log.ts'

/** What arrives with a signature. */
type Signed = 'token' | 'form' | 'cookie'

export interface Keyring {
  /** Signs and seals. */
  current(): string
  /** These verify and open, the current one first. The same array until they change. */
  accepted(): readonly string[]
  /** Notes that a signature, seal or token of no accepted secret has arrived. */
  noteUnknown(signed: Signed): void
}

/** The secrets of a setting or file, the first one signs. */
export function createFixedKeyring(
  secrets: readonly string[],
  noteUnknown: Keyring['noteUnknown'] = () => {},
): Keyring {
  const [first] = secrets
  if (first === undefined) throw new Error('a keyring needs at least one key')
  return { current: () => first, accepted: () => secrets, noteUnknown }
}

/** SECURITY: forged signatures must not fill the log. */
const LOG_INTERVAL_MS = 60_000

interface UnknownDeps {
  /** The setting, or the name of the secret. */
  secret: string
  log: Log
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/** Logs what no secret of a keyring has signed: the first arrival, then one line a minute with the numbers since. */
export function createUnknownLog({ secret, log, now = () => performance.now() }: UnknownDeps): Keyring['noteUnknown'] {
  let counts: Partial<Record<Signed, number>> = {}
  let loggedAt = Number.NEGATIVE_INFINITY
  return (signed) => {
    counts[signed] = (counts[signed] ?? 0) + 1
    if (now() - loggedAt < LOG_INTERVAL_MS) return
    log.warn({ event: 'unknown-key', secret, counts }, `signature of an unknown key: not of ${secret}, or forged`)
    counts = {}
    loggedAt = now()
  }
}

/** Makes a value of the accepted secrets, once for each change of them. */
export function createDerived<T>(
  keyring: Pick<Keyring, 'accepted'>,
  derive: (secrets: readonly string[]) => T,
): () => T {
  let secrets = keyring.accepted()
  let derived = derive(secrets)
  return () => {
    const present = keyring.accepted()
    if (present !== secrets) {
      secrets = present
      derived = derive(secrets)
    }
    return derived
  }
}
