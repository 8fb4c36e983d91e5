// Vite's file watcher, without the two gaps in which a change is lost: before it has been through the folder, and right
// after another change of the same file.

import { statSync } from 'node:fs'
import { DevEnvironment, type DevEnvironmentContext, type FSWatcher, type ResolvedConfig } from 'vite'

/** Vite starts its watcher and does not wait for it; here it is handed over before it can have been through a folder. */
export class ScannedEnvironment extends DevEnvironment {
  readonly #onScanned: () => void

  constructor(name: string, config: ResolvedConfig, context: DevEnvironmentContext, onScanned: () => void) {
    super(name, config, context)
    this.#onScanned = onScanned
  }

  override async init(options?: { watcher?: FSWatcher; previousInstance?: DevEnvironment }): Promise<void> {
    options?.watcher?.once('ready', this.#onScanned)
    await super.init(options)
  }
}

/** Longer than the pause in which the watcher is deaf for a file, and than an editor needs to write one. */
const SECOND_LOOK_MS = 100
/** A file that stays empty is meant to be. */
const MOST_LOOKS = 5

/** Programs empty a file before they fill it; the watcher drops a change that follows another by less than 5 ms. */
export function watchAgain(watcher: FSWatcher, file: string): void {
  const stampOf = () => {
    const stat = statSync(file, { throwIfNoEntry: false })
    return stat && `${stat.mtimeMs} ${stat.size}`
  }
  const seen = stampOf()
  const look = (looks: number) => {
    const stamp = stampOf()
    if (stamp === undefined || stamp === seen) return
    // Just emptied, about to be filled.
    if (stamp.endsWith(' 0') && looks < MOST_LOOKS) setTimeout(look, SECOND_LOOK_MS / 2, looks + 1).unref()
    else watcher.emit('change', file)
  }
  setTimeout(look, SECOND_LOOK_MS, 1).unref()
}
