// Follows the scroll position of each history entry, and goes back to it (N3).

import { historyKey } from './address.ts'
import { readScrollPositions, restoreScroll, SCROLL_KEY, type ScrollPositions } from './scroll-positions.ts'

/** Positions of older entries are forgotten: a position costs about 40 bytes of session storage. */
const MOST_ENTRIES = 200

export interface ScrollKeeper {
  /** From now on positions belong to this entry; one that is new begins where the page stands. */
  follow(key: string, isNew: boolean): void
  restore(key: string): void
  toTarget(hash: string): void
}

export function createScrollKeeper(key: string): ScrollKeeper {
  history.scrollRestoration = 'manual'
  const positions = readScrollPositions()
  let current = key
  const note = () => {
    positions[current] = [scrollX, scrollY]
  }
  // The visitor may have scrolled before this was loaded, or gone to another entry by a hash.
  if (historyKey() === key) note()
  addEventListener('scroll', note, { passive: true })
  addEventListener('pagehide', () => write(positions))
  return {
    follow(next, isNew) {
      // Whoever is there already scrolls no more. What moves from here on is an event's; asking where the page stands
      // would lay the new page out before it is committed.
      const here = positions[current]
      if (isNew && here) positions[next] = here
      current = next
    },
    restore(entry) {
      positions[entry] ??= [0, 0]
      restoreScroll(entry, positions)
    },
    toTarget(hash) {
      const id = decode(hash.slice(1))
      const target = id && (document.getElementById(id) ?? document.getElementsByName(id)[0])
      if (target) target.scrollIntoView()
      else if (!id || id === 'top') scrollTo({ left: 0, top: 0, behavior: 'instant' })
    },
  }
}

function write(positions: ScrollPositions): void {
  try {
    sessionStorage.setItem(
      SCROLL_KEY,
      JSON.stringify(Object.fromEntries(Object.entries(positions).slice(-MOST_ENTRIES))),
    )
  } catch {
    // Forbidden or full storage: positions end with the page.
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A hash may hold anything; then it is the id as it stands.
    return text
  }
}
