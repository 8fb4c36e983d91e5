// Measures how fast the page was, from the browser's own entries. For web-vitals.ts.

export interface Metric {
  id: string
  name: 'TTFB' | 'FCP' | 'LCP' | 'CLS' | 'INP'
  /** Milliseconds; the sum of shifts for CLS. */
  value: number
  delta: number
  rating: 'good' | 'needs-improvement' | 'poor'
  entries: PerformanceEntry[]
  navigationType: string
}

/** Up to which value a metric is good, and from which it is poor (web.dev/articles/vitals). */
const RATINGS: Readonly<Record<Metric['name'], readonly [number, number]>> = {
  TTFB: [800, 1800],
  FCP: [1800, 3000],
  LCP: [2500, 4000],
  CLS: [0.1, 0.25],
  INP: [200, 500],
}

interface Shift extends PerformanceEntry {
  value: number
  hadRecentInput: boolean
}

/** Reports each metric until the function that is returned is called. */
export function watchVitals(report: (metric: Metric) => void): () => void {
  const id = `v1-${Date.now()}-${Math.random().toString(36).slice(2)}`
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  const send = (name: Metric['name'], value: number, entries: PerformanceEntry[]) => {
    const [good, poor] = RATINGS[name]
    const rating = value <= good ? 'good' : value <= poor ? 'needs-improvement' : 'poor'
    report({ id, name, value, delta: value, rating, entries, navigationType: navigation?.type ?? 'navigate' })
  }
  const last: { paint?: PerformanceEntry; shifts: Shift[]; slowest?: PerformanceEntry } = { shifts: [] }
  const observers = [
    observe('paint', (entry) => entry.name === 'first-contentful-paint' && send('FCP', entry.startTime, [entry])),
    observe('largest-contentful-paint', (entry) => {
      last.paint = entry
    }),
    observe('layout-shift', (entry) => {
      // The cast: entries of this type have these members.
      const shift = entry as Shift
      if (!shift.hadRecentInput) last.shifts.push(shift)
    }),
    observe('event', (entry) => {
      // Moves of the pointer are events, too. The cast: entries of this type have the member.
      if (!(entry as PerformanceEntry & { interactionId?: number }).interactionId) return
      if (!last.slowest || entry.duration > last.slowest.duration) last.slowest = entry
    }),
  ]
  if (navigation) send('TTFB', navigation.responseStart, [navigation])
  const onHidden = () => {
    if (document.visibilityState !== 'hidden') return
    document.removeEventListener('visibilitychange', onHidden)
    if (last.paint) send('LCP', last.paint.startTime, [last.paint])
    send('CLS', worstWindow(last.shifts), last.shifts)
    if (last.slowest) send('INP', last.slowest.duration, [last.slowest])
  }
  document.addEventListener('visibilitychange', onHidden)
  return () => {
    document.removeEventListener('visibilitychange', onHidden)
    for (const observer of observers) observer?.disconnect()
  }
}

function observe(type: string, onEntry: (entry: PerformanceEntry) => unknown): PerformanceObserver | undefined {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return undefined
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) onEntry(entry)
  })
  // Of events: by default browsers leave out those below 104 ms, and pages that respond sooner would have no INP.
  const init: PerformanceObserverInit & { durationThreshold: number } = { type, buffered: true, durationThreshold: 40 }
  observer.observe(init)
  return observer
}

const WINDOW_MS = 5000
const GAP_MS = 1000

/** The largest sum of shifts in a window of at most 5 s without a gap of 1 s. */
function worstWindow(shifts: readonly { startTime: number; value: number }[]): number {
  let worst = 0
  let sum = 0
  let first = Number.NEGATIVE_INFINITY
  let previous = Number.NEGATIVE_INFINITY
  for (const { startTime, value } of shifts) {
    const isSame = startTime - first < WINDOW_MS && startTime - previous < GAP_MS
    sum = isSame ? sum + value : value
    if (!isSame) first = startTime
    previous = startTime
    worst = Math.max(worst, sum)
  }
  return worst
}
