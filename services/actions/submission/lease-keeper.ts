// Renews the leases of the submissions that run in this process (A9), with one timer for all leases: nearly every
// submission ends before its first renewal.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import { LEASE_MS, LEASE_RENEW_MS } from '@portico/shared/wire/constants.ts'
import type { Clock } from '../clock.ts'
import type { SubmissionStore } from './store/store.ts'

interface Lease {
  id: string
  owner: string
  keepMs: number
}

export function createLeaseKeeper(store: SubmissionStore, clock: Clock, log: Log) {
  const held = new Set<Lease>()
  let isWaiting = false

  const renew = async (lease: Lease): Promise<void> => {
    try {
      const isOurs = await store.renew(lease.id, lease.owner, LEASE_MS, lease.keepMs)
      if (!isOurs && held.has(lease)) log.warn({ event: 'lease-lost' }, 'running submission lost its lease')
    } catch (error) {
      log.warn({ error }, 'lease not renewed')
    }
  }

  /** Each tick renews all held leases, so that each first renewal is within LEASE_RENEW_MS of the lease's start. */
  const wait = (): void => {
    if (isWaiting || held.size === 0) return
    isWaiting = true
    clock.after(LEASE_RENEW_MS, () => {
      isWaiting = false
      for (const lease of held) void renew(lease)
      wait()
    })
  }

  /** Keeps renewing a lease that has just begun. The returned function ends the renewals. */
  return function hold(given: Lease): () => void {
    // A new object, because the set compares by identity.
    const lease = { ...given }
    held.add(lease)
    wait()
    return () => void held.delete(lease)
  }
}
