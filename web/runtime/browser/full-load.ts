// Loads a target as a document, once: a second time for the same reason within 10 s is a loop, and an error (N5).

import { FULL_LOAD_GUARD_MS } from '../../../services/shared/wire/constants.ts'
import { pageOf } from './address.ts'

const KEY = 'portico:full-load'

/** Reasons that are no fault: what is not of the router is a link like any other (N4), and visitors may try again. */
const ORDINARY: readonly string[] = ['no-route', 'redirect', 'retry']

/** Leaves for the target. When that was just tried, the error screen is shown instead, whose button leaves for it again. */
export function loadInFull(url: string, reason: string, fail: (error: Error) => void, now = Date.now()): void {
  if (!ORDINARY.includes(reason) && isSecondTry(`${reason} ${url}`, now)) {
    const retry = () => loadInFull(url, 'retry', fail)
    fail(Object.assign(new Error(`The page cannot be loaded (${reason}).`), { retry }))
    return
  }
  const target = new URL(url, location.href)
  // Assigning the address shown, or one that differs in its hash only, would not load anything.
  if (pageOf(target) === pageOf(location)) {
    if (target.hash !== location.hash) history.replaceState(history.state, '', target)
    location.reload()
  } else location.assign(target)
}

/** Whether it was tried within the last 10 s; if not, it is remembered as tried now. */
function isSecondTry(mark: string, now: number): boolean {
  const tries = readTries().filter(([, time]) => now - time < FULL_LOAD_GUARD_MS)
  if (tries.some(([tried]) => tried === mark)) return true
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...tries, [mark, now]]))
  } catch {
    // Storage may be forbidden; then there is no guard, as with any link.
  }
  return false
}

function readTries(): [mark: string, time: number][] {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    // Written above; what another script wrote there is a list of nothing that matches.
    return Array.isArray(value) ? (value.filter(Array.isArray) as [string, number][]) : []
  } catch {
    // Forbidden storage, or rubbish in it.
    return []
  }
}
