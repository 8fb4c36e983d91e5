// Loads a target as a document, once: a second time for the same reason within 10 s is a loop, and an error (N5).

import { FULL_LOAD_GUARD_MS } from '../../../services/shared/wire/constants.ts'
import { pageOf } from './address.ts'

/** Reasons that are no fault: what is not of the router is a link like any other (N4), and visitors may try again. */
const ORDINARY: readonly string[] = ['no-route', 'redirect', 'retry']

/** Leaves for the target. When that was just tried, the error screen is shown instead, whose button leaves for it again. */
export function loadInFull(url: string, reason: string, fail: (error: Error) => void, now = Date.now()): void {
  if (!ORDINARY.includes(reason) && isSecondTry(`portico:${reason} ${url}`, now)) {
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
  try {
    // What another script wrote there is no number, and no time.
    if (now - Number(sessionStorage.getItem(mark) ?? Number.NaN) < FULL_LOAD_GUARD_MS) return true
    sessionStorage.setItem(mark, `${now}`)
  } catch {
    // Storage may be forbidden or full; then there is no guard, as with any link.
  }
  return false
}
