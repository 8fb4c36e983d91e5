// Submissions in the memory of one process: for tests and for sites that accept to forget them at a restart.

import type { Clock } from '../clock.ts'
import type { SubmissionStore } from './store.ts'

interface Row {
  fingerprint: string
  owner: string
  leaseUntil: number
  expiresAt: number
  answer: string | undefined
}

export function createMemoryStore({ now }: Pick<Clock, 'now'>): SubmissionStore {
  const rows = new Map<string, Row>()
  const alive = (id: string): Row | undefined => {
    const row = rows.get(id)
    if (row && row.expiresAt > now()) return row
    rows.delete(id)
    return undefined
  }
  const owned = (id: string, owner: string): Row | undefined => {
    const row = alive(id)
    return row?.owner === owner && row.answer === undefined ? row : undefined
  }
  return {
    async begin(id, { fingerprint, owner, leaseMs, keepMs, takeOver }) {
      const row = alive(id)
      if (row) {
        if (row.answer !== undefined) return { kind: 'finished', fingerprint: row.fingerprint, answer: row.answer }
        if (row.leaseUntil > now()) return { kind: 'running', fingerprint: row.fingerprint }
        if (!takeOver || row.fingerprint !== fingerprint) return { kind: 'lost', fingerprint: row.fingerprint }
      }
      sweep(rows, now())
      const leaseUntil = now() + leaseMs
      rows.set(id, { fingerprint, owner, leaseUntil, expiresAt: leaseUntil + keepMs, answer: undefined })
      return { kind: 'started' }
    },
    async renew(id, owner, leaseMs, keepMs) {
      const row = owned(id, owner)
      if (!row) return false
      row.leaseUntil = now() + leaseMs
      row.expiresAt = row.leaseUntil + keepMs
      return true
    },
    async finish(id, owner, answer, keepMs) {
      const row = owned(id, owner)
      if (!row) return false
      row.answer = answer
      row.expiresAt = now() + keepMs
      return true
    },
    async abandon(id, owner) {
      if (owned(id, owner)) rows.delete(id)
    },
    async ping() {},
    async close() {},
  }
}

/** Rows looked at per new record: old ones come first in a Map, so memory stays bounded by what is alive. */
const SWEEP_ROWS = 8

function sweep(rows: Map<string, Row>, time: number): void {
  let left = SWEEP_ROWS
  for (const [id, row] of rows) {
    if (left-- === 0) return
    if (row.expiresAt <= time) rows.delete(id)
  }
}
