// Scroll positions as they are kept over reloads, by history entry (N3).

export const SCROLL_KEY = 'portico:scroll'

export type ScrollPositions = Record<string, [x: number, y: number]>

export function readScrollPositions(): ScrollPositions {
  try {
    return (JSON.parse(sessionStorage.getItem(SCROLL_KEY) ?? '{}') ?? {}) as ScrollPositions
  } catch {
    // Forbidden or spoilt storage: start without positions.
    return {}
  }
}

/** Goes where the visitor was in this entry; stays where nothing is known of it. */
export function restoreScroll(key: string, positions = readScrollPositions()): void {
  const position = positions[key]
  if (position) scrollTo({ left: position[0], top: position[1], behavior: 'instant' })
}
