// Loads a target as a document, once: a second time for the same reason within 10 s is a loop (N5).

import { FULL_LOAD_GUARD_MS } from '../../../services/shared/wire/constants.ts'

const KEY = 'portico:full-load'

/** Leaves for the target; false when that was just tried, and the error screen should be shown instead. */
export function loadInFull(url: string, reason: string, now = Date.now()): boolean {
  const mark = `${reason} ${url}`
  if (wasJustTried(mark, now)) return false
  remember(mark, now)
  const target = new URL(url, location.href)
  // Assigning the address shown, or one that differs in its hash only, would not load anything.
  if (target.pathname + target.search === location.pathname + location.search) {
    if (target.hash !== location.hash) history.replaceState(history.state, '', target)
    location.reload()
  } else location.assign(target)
  return true
}

function wasJustTried(mark: string, now: number): boolean {
  try {
    const [time, ...rest] = (sessionStorage.getItem(KEY) ?? '').split(' ')
    return rest.join(' ') === mark && now - Number(time) < FULL_LOAD_GUARD_MS
  } catch {
    // Storage may be forbidden; then there is no guard, as with any link.
    return false
  }
}

function remember(mark: string, now: number): void {
  try {
    sessionStorage.setItem(KEY, `${now} ${mark}`)
  } catch {
    // As above.
  }
}
