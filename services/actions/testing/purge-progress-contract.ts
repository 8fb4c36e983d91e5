// The contract of every store of purge progress. Each implementation runs this suite.

import { describe, expect, it } from 'vitest'
import { LEASE_MS, type PurgeProgressStore } from '../cdn-purge/purge-progress.ts'

interface OpenedProgress {
  /** A replica on the same empty store, each time it is called within a test. */
  open(owner: string): PurgeProgressStore
  /** Lets the time of leases pass. */
  pass(milliseconds: number): Promise<void>
}

export function describePurgeProgress(name: string, opened: () => OpenedProgress): void {
  const progress = { version: 'v1.x/docs', epoch: 'e', generation: 1_763_000_000_000 }

  describe(`progress of purges: ${name}`, () => {
    it('C6 is empty at first, and is kept for every replica', async () => {
      const { open } = opened()
      const one = open('one')
      expect(await one.claim()).toEqual({ progress: undefined })
      expect(await one.save(progress)).toBe(true)
      expect(await one.claim()).toEqual({ progress })
      await one.release()
      expect(await open('two').claim()).toEqual({ progress })
    })

    it('C6 one of two replicas has the lease, until it ends or is released', async () => {
      const { open, pass } = opened()
      const [one, two] = [open('one'), open('two')]
      const claims = await Promise.all([one.claim(), two.claim()])
      expect(claims.filter((claim) => claim === undefined).length).toBe(1)
      const [first, second] = claims[0] ? [one, two] : [two, one]
      expect(await second.save(progress)).toBe(false)
      await second.release()
      expect(await second.claim()).toBeUndefined()
      await pass(LEASE_MS + 1)
      expect(await second.claim()).toEqual({ progress: undefined })
      // The first one stalled for longer than its lease.
      expect(await first.save(progress)).toBe(false)
    })
  })
}
