// Look-ups and probes of all workers of a gateway: workers that check the same within a short time share one check, so that
// resolvers and replicas receive about as many as from a gateway of one process.

import type { Probe } from '@portico/shared/kit/life/replica-probe.ts'
import { LRUCache } from 'lru-cache'
import type { Control } from '../control/control.ts'

/** A good result serves other workers for this long: half of the interval of probes. */
const KEPT_MS = 250
/** More replicas than a gateway has. */
const MOST_CHECKS = 2000

interface Check<T> {
  readonly beganAt: number
  readonly running: Promise<T>
  hasEnded: boolean
}

/** `isKept`: a bad result serves only those who waited for it, because requests wait for its end. */
function createShared<T>(isKept: (result: T) => boolean, now: () => number) {
  const checks = new LRUCache<string, Check<T>>({ max: MOST_CHECKS })
  return async function share(key: string, run: () => Promise<T>): Promise<{ result: T; ageMs: number }> {
    const known = checks.get(key)
    if (known && (!known.hasEnded || now() - known.beganAt < KEPT_MS))
      return { ageMs: now() - known.beganAt, result: await known.running }
    const check: Check<T> = { beganAt: now(), running: run(), hasEnded: false }
    checks.set(key, check)
    const drop = () => checks.peek(key) === check && checks.delete(key)
    try {
      const result = await check.running
      if (!isKept(result)) drop()
      return { ageMs: 0, result }
    } catch (error) {
      drop()
      throw error
    } finally {
      check.hasEnded = true
    }
  }
}

/** `ageMs` of a probe says how long before the call it began. */
export function createSharedChecks(
  { lookup, probe }: Pick<Control, 'lookup' | 'probe'>,
  now = () => performance.now(),
): Pick<Control, 'lookup' | 'probe'> {
  const lookups = createShared<string[]>((addresses) => addresses.length > 0, now)
  const probes = createShared<Probe>(({ result }) => result === 'ready', now)
  return {
    lookup: async (host) => (await lookups(host, () => lookup(host))).result,
    async probe(address, port, timeoutMs, relying) {
      const run = () => probe(address, port, timeoutMs, relying)
      const { result, ageMs } = await probes(`${address} ${port} ${relying ?? ''}`, run)
      return { ...result, ageMs }
    },
  }
}
