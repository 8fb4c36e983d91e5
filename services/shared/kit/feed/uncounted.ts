// Changes that were published while the state store was unavailable: counted when the store is back, for processes
// that no message reached.

import type { Change } from '../../wire/invalidation.ts'
import type { Log } from '../observe/log.ts'
import type { GenerationStore } from './generations.ts'

/** More names than this become one change of everything. */
const MAX_NAMES = 1000
const RETRY_MS = 1000

export function createUncounted(store: GenerationStore, log: Log) {
  let waiting: { paths: Set<string>; tags: Set<string>; everything: boolean } | undefined
  let timer: NodeJS.Timeout | undefined

  const retry = async (): Promise<void> => {
    timer = undefined
    const change = waiting
    if (!change) return
    waiting = undefined
    try {
      await store.raise({ paths: [...change.paths], tags: [...change.tags], everything: change.everything })
      log.info({ event: 'invalidations-counted' }, 'earlier invalidations counted in the state store')
    } catch {
      // The feed reports the outage.
      add({ paths: [...change.paths], tags: [...change.tags], everything: change.everything })
    }
  }

  const add = (change: Change): void => {
    waiting ??= { paths: new Set(), tags: new Set(), everything: false }
    for (const path of change.paths) waiting.paths.add(path)
    for (const tag of change.tags) waiting.tags.add(tag)
    const isTooMany = waiting.paths.size + waiting.tags.size > MAX_NAMES
    if (change.everything || isTooMany) waiting = { paths: new Set(), tags: new Set(), everything: true }
    timer ??= setTimeout(retry, RETRY_MS).unref()
  }

  return {
    add,
    close(): void {
      clearTimeout(timer)
      waiting = undefined
    },
  }
}
