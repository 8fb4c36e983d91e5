// Scroll positions as they are kept over reloads, by history entry (N3).

const KEY = 'portico:scroll'
/** Positions of older entries are forgotten: a position costs about 40 bytes of session storage. */
const MOST_ENTRIES = 200

export type ScrollPositions = Record<string, [x: number, y: number]>

export function readScrollPositions(): ScrollPositions {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? '{}') ?? {}) as ScrollPositions
  } catch {
    // Forbidden or spoilt storage: start without positions.
    return {}
  }
}

export function writeScrollPositions(positions: ScrollPositions): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(Object.fromEntries(Object.entries(positions).slice(-MOST_ENTRIES))))
  } catch {
    // Forbidden or full storage: positions end with the page.
  }
}

/** Goes where the visitor was in this entry; stays where nothing is known of it. */
export function restoreScroll(key: string, positions = readScrollPositions()): void {
  const position = positions[key]
  if (position) scrollTo({ left: position[0], top: position[1], behavior: 'instant' })
}
