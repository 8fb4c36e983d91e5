// Keeps the leases of the submissions that run in this process (A9), with one timer for all of them: nearly every
// submission ends before its first renewal is due.

import type { Log } from '../../shared/node/log.ts'
import { LEASE_MS, LEASE_RENEW_MS } from '../../shared/wire/constants.ts'
import type { Clock } from '../clock.ts'
import type { SubmissionStore } from './store.ts'

interface Lease {
  id: string
  owner: string
  keepMs: number
  /** When it must be renewed, in the clock's milliseconds. */
  dueAt: number
}

/** Takes up a lease that was just begun. The returned function lets it go. */
export type HoldLease = (lease: { id: string; owner: string; keepMs: number }) => () => void

export interface LeaseKeeperDeps {
  store: SubmissionStore
  clock: Clock
  log: Log
}

export function createLeaseKeeper({ store, clock, log }: LeaseKeeperDeps): HoldLease {
  // A set remembers the order of insertion, and every lease is due equally long after: the first is due first.
  const held = new Set<Lease>()
  let isWaiting = false

  const renew = async (lease: Lease): Promise<void> => {
    try {
      const isOurs = await store.renew(lease.id, lease.owner, LEASE_MS, lease.keepMs)
      if (!isOurs && held.has(lease)) log.warn({ event: 'lease-lost' }, 'a running submission lost its lease')
    } catch (error) {
      log.warn({ error }, 'a lease could not be renewed')
    }
  }

  const wait = (): void => {
    const [first] = held
    if (isWaiting || !first) return
    isWaiting = true
    clock.after(Math.max(0, first.dueAt - clock.now()), () => {
      isWaiting = false
      renewDue()
      wait()
    })
  }

  const renewDue = (): void => {
    const now = clock.now()
    for (const lease of held) {
      if (lease.dueAt > now) return
      held.delete(lease)
      lease.dueAt = now + LEASE_RENEW_MS
      held.add(lease)
      void renew(lease)
    }
  }

  return function hold({ id, owner, keepMs }) {
    const lease = { id, owner, keepMs, dueAt: clock.now() + LEASE_RENEW_MS }
    held.add(lease)
    wait()
    return () => void held.delete(lease)
  }
}
