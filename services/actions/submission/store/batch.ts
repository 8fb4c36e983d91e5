// Runs the calls of one turn of the event loop as one transaction: writing a page costs more than writing a row.

import type { DatabaseSync } from 'node:sqlite'

interface Waiting {
  run: () => void
  settle: () => void
  reject: (error: unknown) => void
}

interface BatchHooks {
  /** Called at the beginning of each transaction. */
  before: () => void
  onRollback: () => void
}

export function createBatch(database: DatabaseSync, { before, onRollback }: BatchHooks) {
  let waiting: Waiting[] = []
  /** Runs the waiting calls. */
  const flush = (): void => {
    const batch = waiting
    waiting = []
    if (batch.length === 0) return
    try {
      database.exec('BEGIN IMMEDIATE')
      before()
      for (const { run } of batch) run()
      database.exec('COMMIT')
    } catch (error) {
      // A call after close() is rejected like any other: a closed database has no state to read.
      if (database.isOpen && database.isTransaction) {
        database.exec('ROLLBACK')
        onRollback()
      }
      for (const { reject } of batch) reject(error)
      return
    }
    for (const { settle } of batch) settle()
  }
  return {
    /** Resolves after the commit, so a record survives the end of the process before its action may run. */
    run: <T>(work: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        let result: T
        const run = () => {
          result = work()
        }
        waiting.push({ run, settle: () => resolve(result), reject })
        if (waiting.length === 1) setImmediate(flush)
      }),
    flush,
  }
}
