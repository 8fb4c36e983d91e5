// Closes two gaps in which Vite's file watcher misses a change: before its first scan of the folder is complete, and
// shortly after another change of the same file.

import { statSync } from 'node:fs'
import { DevEnvironment, type DevEnvironmentContext, type FSWatcher, type ResolvedConfig } from 'vite'

/** Reports the end of the watcher's first scan, for which Vite does not wait. */
export class ScannedEnvironment extends DevEnvironment {
  readonly #onScanned: () => void

  constructor(name: string, config: ResolvedConfig, context: DevEnvironmentContext, onScanned: () => void) {
    super(name, config, context)
    this.#onScanned = onScanned
  }

  override async init(options?: { watcher?: FSWatcher; previousInstance?: DevEnvironment }): Promise<void> {
    // Vite calls init before the watcher can have scanned the folder.
    options?.watcher?.once('ready', this.#onScanned)
    await super.init(options)
  }
}

/** Longer than the watcher ignores a file after a change. */
const RECHECK_MS = 100

/** Checks a changed file again: the watcher drops a second change within 5 ms. */
export function recheckFile(watcher: FSWatcher, file: string): void {
  const stampOf = () => {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat && `${stat.mtimeMs} ${stat.size}`
  }
  const seen = stampOf()
  const check = () => {
    const stamp = stampOf()
    if (stamp !== undefined && stamp !== seen) watcher.emit('change', file)
  }
  setTimeout(check, RECHECK_MS).unref()
}
