// Scroll positions by history entry, kept over reloads (N3).

const KEY = 'portico:scroll'
/** Positions of older entries are forgotten: a position costs about 40 bytes of session storage. */
const MOST_ENTRIES = 200

type Positions = Record<string, [number, number]>

export interface ScrollKeeper {
  /** From now on positions belong to this entry. */
  follow(key: string): void
  restore(key: string): void
  toTarget(hash: string): void
}

export function createScrollKeeper(): ScrollKeeper {
  history.scrollRestoration = 'manual'
  const positions = read()
  let current = ''
  addEventListener(
    'scroll',
    () => {
      positions[current] = [scrollX, scrollY]
    },
    { passive: true },
  )
  addEventListener('pagehide', () => write(positions))
  return {
    follow(key) {
      current = key
    },
    restore(key) {
      const [x, y] = positions[key] ?? [0, 0]
      scrollTo({ left: x, top: y, behavior: 'instant' })
    },
    toTarget(hash) {
      const id = decode(hash.slice(1))
      const target = id && (document.getElementById(id) ?? document.getElementsByName(id)[0])
      if (target) target.scrollIntoView()
      else if (!id || id === 'top') scrollTo({ left: 0, top: 0, behavior: 'instant' })
    },
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

function read(): Positions {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? '{}') ?? {}) as Positions
  } catch {
    // Forbidden or spoilt storage: start without positions.
    return {}
  }
}

function write(positions: Positions): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(Object.fromEntries(Object.entries(positions).slice(-MOST_ENTRIES))))
  } catch {
    // Forbidden or full storage: positions end with the page.
  }
}
