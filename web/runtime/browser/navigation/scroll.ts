// Follows the scroll position of each history entry, and restores it (N3).

import { historyKey, readScrollPositions, restoreScroll, SCROLL_KEY, type ScrollPositions } from '../tab.ts'

/** Positions of older entries are dropped: a position costs about 40 bytes of session storage. */
const MOST_ENTRIES = 200

export interface ScrollKeeper {
  /** From now on positions belong to this entry; a new entry begins at the current position. */
  follow(key: string, isNew: boolean): void
  restore(key: string): void
  toTop(): void
  toTarget(hash: string): void
}

export function createScrollKeeper(key: string): ScrollKeeper {
  history.scrollRestoration = 'manual'
  const positions = readScrollPositions()
  let current = key
  const note = () => {
    positions[current] = [scrollX, scrollY]
  }
  // The user may have scrolled before this was loaded, or moved to another entry by a hash.
  if (historyKey() === key) note()
  addEventListener('scroll', note, { passive: true })
  addEventListener('pagehide', () => write(positions))
  return {
    follow(next, isNew) {
      // From here on scroll events report the position: reading it now would lay the new page out before its commit.
      const here = positions[current]
      if (isNew && here) positions[next] = here
      current = next
    },
    restore(entry) {
      positions[entry] ??= [0, 0]
      restoreScroll(entry, positions)
    },
    toTop,
    toTarget(hash) {
      const id = decode(hash.slice(1))
      const target = id && (document.getElementById(id) ?? document.getElementsByName(id)[0])
      if (target) target.scrollIntoView()
      else if (!id || id === 'top') toTop()
    },
  }
}

function toTop(): void {
  scrollTo({ left: 0, top: 0, behavior: 'instant' })
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
    // A hash may hold anything: one that cannot be decoded is the id unchanged.
    return text
  }
}
