// Changed files on their way to a new state: collects them for a moment and applies them in batches, one at a time.

import { statSync } from 'node:fs'

/** Editors write a file in several steps. */
const COLLECT_MS = 5

/** Calls `onError` when a batch could not be applied, and then continues with the next batch. */
export function createChangeQueue(
  apply: (files: ReadonlySet<string>) => Promise<void>,
  onError: (error: unknown) => Promise<void>,
) {
  const stamps = new Map<string, string>()
  let pending = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let work: Promise<void> = Promise.resolve()
  let isClosed = false

  const applyPending = async () => {
    if (pending.size === 0) return
    const files = pending
    pending = new Set()
    await apply(files)
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    work = work.then(applyPending).catch(onError)
  }
  return {
    /** Adds a file that was added, changed or removed (absolute path). */
    add(file: string): void {
      // The watcher often reports one write twice.
      const stamp = stampOf(file)
      if (isClosed || stamps.get(file) === stamp) return
      stamps.set(file, stamp)
      pending.add(file)
      timer ??= setTimeout(flush, COLLECT_MS)
    },
    /** Resolves when all changes so far are applied. */
    async settle(): Promise<void> {
      if (timer) flush()
      await work
    },
    /** Drops the changes that wait, and resolves when the current batch is applied. */
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      pending.clear()
      await work
    },
  }
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : 'removed'
}
