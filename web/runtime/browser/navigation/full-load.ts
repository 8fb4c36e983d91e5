// Loads a target as a document, once: a second load for the same reason within 10 s is a loop, and an error (N5).

import { FULL_LOAD_GUARD_MS } from '@portico/shared/wire/constants.ts'
import { pageOf } from './address.ts'

/**
 * Reasons that are not faults: an address outside the router, or with another policy, is a plain link (N4, G6), and a user
 * may try again.
 */
const ORDINARY: readonly string[] = ['no-route', 'policy', 'redirect', 'retry']

/** Loads the target. When that was just tried, `fail` shows the error screen instead, whose button loads the target again. */
export function loadInFull(url: string, reason: string, fail: (error: Error) => void, now = Date.now()): void {
  if (!ORDINARY.includes(reason) && isSecondTry(`portico:${reason} ${url}`, now)) {
    const retry = () => loadInFull(url, 'retry', fail)
    fail(Object.assign(new Error(`The page cannot be loaded (${reason}).`), { retry }))
    return
  }
  const target = new URL(url, location.href)
  // Assigning the current address, or one that differs in its hash only, would not load anything.
  if (pageOf(target) === pageOf(location)) {
    if (target.hash !== location.hash) history.replaceState(history.state, '', target)
    location.reload()
  } else location.assign(target)
}

/** Whether the mark was set within the last 10 s; if not, sets it. */
function isSecondTry(mark: string, now: number): boolean {
  try {
    // A value that another script wrote is not a time.
    if (now - Number(sessionStorage.getItem(mark) ?? Number.NaN) < FULL_LOAD_GUARD_MS) return true
    sessionStorage.setItem(mark, `${now}`)
  } catch {
    // Storage may be forbidden or full: then there is no guard, as for a plain link.
  }
  return false
}
