// Carries out what arrived in one turn of the event loop as one transaction: writing a page costs more than a row.

import type { DatabaseSync } from 'node:sqlite'

export interface Batch {
  /** Resolves once the work is committed, so a record outlives the process from the moment that its action may run. */
  run<T>(work: () => T): Promise<T>
  /** Carries out what waits. */
  flush(): void
}

interface Waiting {
  run: () => void
  settle: () => void
  reject: (error: unknown) => void
}

export interface BatchHooks {
  /** Called at the beginning of each transaction. */
  before: () => void
  onRollback: () => void
}

export function createBatch(database: DatabaseSync, { before, onRollback }: BatchHooks): Batch {
  let waiting: Waiting[] = []
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
      if (database.isTransaction) {
        database.exec('ROLLBACK')
        onRollback()
      }
      for (const { reject } of batch) reject(error)
      return
    }
    for (const { settle } of batch) settle()
  }
  return {
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
