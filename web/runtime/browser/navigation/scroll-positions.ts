// Scroll positions by history entry, kept over reloads (N3).

export const SCROLL_KEY = 'portico:scroll'

export type ScrollPositions = Record<string, [x: number, y: number]>

export function readScrollPositions(): ScrollPositions {
  try {
    return (JSON.parse(sessionStorage.getItem(SCROLL_KEY) ?? '{}') ?? {}) as ScrollPositions
  } catch {
    // Forbidden or damaged storage: start without positions.
    return {}
  }
}

/** Scrolls to the position of this entry; stays where no position is known. */
export function restoreScroll(key: string, positions = readScrollPositions()): void {
  const position = positions[key]
  if (position) scrollTo({ left: position[0], top: position[1], behavior: 'instant' })
}
