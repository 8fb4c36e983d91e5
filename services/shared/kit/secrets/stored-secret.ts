// A secret as the state store has it, and which of several counts (O10): pure functions. Merging is commutative,
// associative and idempotent, so that services agree whatever they read first.

export interface Secret {
  /** 0 for the first one; `portico secrets rotate` makes the next number. */
  rotation: number
  /** Milliseconds since the epoch; 0 for a secret of the versions that stored the value alone. */
  createdAt: number
  value: string
  /** Milliseconds since the epoch until which a secret that has lost verifies and opens. Undefined: it has not lost. */
  until?: number
}

/** How long a secret that has lost verifies and opens. */
const FORMER_MS = 24 * 60 * 60 * 1000
/** Each secret costs one more comparison for a forged signature. */
const MAX_SECRETS = 8

/** Negative if the first one wins: the higher rotation, then the older one, then the smaller value. */
function compare(one: Secret, other: Secret): number {
  const order = other.rotation - one.rotation || one.createdAt - other.createdAt
  if (order !== 0) return order
  return one.value < other.value ? -1 : Number(one.value > other.value)
}

/**
 * Merges what two places know; the winner is the first of the result, then those that have lost and still count, at most
 * MAX_SECRETS in all. `now`: milliseconds since the epoch.
 */
export function mergeSecrets(known: readonly Secret[], others: readonly Secret[], now: number): Secret[] {
  const byValue = new Map<string, Secret>()
  for (const secret of [...known, ...others].sort(compare)) {
    const first = byValue.get(secret.value) ?? secret
    const until = Math.max(first.until ?? 0, secret.until ?? 0)
    byValue.set(secret.value, until === 0 ? first : { ...first, until })
  }
  const [winner, ...losers] = byValue.values()
  if (!winner) return []
  const former = losers.map((loser) => ({ ...loser, until: loser.until ?? now + FORMER_MS }))
  return [winner, ...former.filter(({ until }) => until > now)].slice(0, MAX_SECRETS)
}

/**
 * The values that verify and open, the one that signs first. A secret signs from `createdAt` on: `rotate` puts it into the
 * future, so that every service verifies with it before one signs.
 */
export function acceptedValues(secrets: readonly Secret[], now: number): string[] {
  const accepted = secrets.filter(({ until = Number.POSITIVE_INFINITY }, at) => at === 0 || until > now)
  const signing = accepted.find(({ createdAt }) => createdAt <= now) ?? accepted[0]
  return signing ? [signing.value, ...accepted.filter((each) => each !== signing).map(({ value }) => value)] : []
}

/**
 * The text for the state store. A secret of the versions that stored the value alone keeps their form until another one
 * wins: services of both versions read it.
 */
export function formatSecrets([winner, ...former]: readonly Secret[]): string {
  if (!winner) throw new Error('there is no secret to store')
  const { rotation, createdAt, value } = winner
  if (rotation === 0 && createdAt === 0 && former.length === 0) return value
  return JSON.stringify({ rotation, createdAt, value, ...(former.length > 0 && { former }) })
}

/** Reads such a text, the winner first. Undefined for a text of another form. */
export function parseSecrets(text: string): Secret[] | undefined {
  if (text === '') return undefined
  if (!text.startsWith('{')) return [{ rotation: 0, createdAt: 0, value: text }]
  try {
    const stored = JSON.parse(text) as { former?: unknown }
    const former = stored.former ?? []
    const secrets = [parseSecret(stored), ...(Array.isArray(former) ? former.map(parseFormer) : [undefined])]
    return secrets.every((secret) => secret !== undefined) ? secrets : undefined
  } catch {
    // Not JSON: the caller names the key.
    return undefined
  }
}

function parseSecret(stored: unknown): Secret | undefined {
  const { rotation, createdAt, value } = stored as Record<string, unknown>
  if (!isCount(rotation) || !isCount(createdAt) || typeof value !== 'string' || value.length === 0) return undefined
  return { rotation, createdAt, value }
}

function parseFormer(stored: unknown): Secret | undefined {
  const secret = parseSecret(stored)
  const { until } = stored as Record<string, unknown>
  return secret && isCount(until) ? { ...secret, until } : undefined
}

/** Below the largest one, so that there is a next one. */
function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < Number.MAX_SAFE_INTEGER
}
