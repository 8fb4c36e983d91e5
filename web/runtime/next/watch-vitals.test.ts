// `next/web-vitals` over entries as browsers report them.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Metric, watchVitals } from './watch-vitals.ts'

type Entries = Record<string, object[]>

let entries: Entries
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
beforeEach(() => {
  entries = {}
  vi.stubGlobal('document', page)
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      static supportedEntryTypes = ['paint', 'largest-contentful-paint', 'layout-shift', 'event']
      #report: (list: { getEntries: () => object[] }) => void
      constructor(report: (list: { getEntries: () => object[] }) => void) {
        this.#report = report
      }
      observe({ type, durationThreshold = 104 }: { type: string; durationThreshold?: number }) {
        const isReported = (entry: object) => !('duration' in entry) || Number(entry.duration) >= durationThreshold
        this.#report({ getEntries: () => (entries[type] ?? []).filter(isReported) })
      }
      disconnect() {}
    },
  )
})
afterEach(() => {
  page.visibilityState = 'visible'
  vi.unstubAllGlobals()
})

/** The metrics of a page that is hidden in the end: `name value rating`. */
function metricsOf(given: Entries): string[] {
  entries = given
  const metrics: Metric[] = []
  const stop = watchVitals((metric) => metrics.push(metric))
  page.visibilityState = 'hidden'
  page.dispatchEvent(new Event('visibilitychange'))
  stop()
  return metrics.map(({ name, value, rating }) => `${name} ${value} ${rating}`)
}

const shift = (startTime: number, value: number, hadRecentInput = false) => ({ startTime, value, hadRecentInput })

test('X1 the last paint is LCP, the first paint with content is FCP', () => {
  const paint = (name: string, startTime: number) => ({ name, startTime })
  expect(
    metricsOf({
      paint: [paint('first-paint', 100), paint('first-contentful-paint', 200)],
      'largest-contentful-paint': [paint('', 300), paint('', 2600)],
    }),
  ).toEqual(['FCP 200 good', 'LCP 2600 needs-improvement', 'CLS 0 good'])
})

test.each([
  ['shifts within a second are one window', [shift(0, 0.1), shift(900, 0.2)], 'CLS 0.30000000000000004 poor'],
  ['a gap of a second begins another window', [shift(0, 0.1), shift(1000, 0.2)], 'CLS 0.2 needs-improvement'],
  ['a window is 5 s at most', [0, 900, 1800, 2700, 3600, 4500, 5400].map((at) => shift(at, 1)), 'CLS 6 poor'],
  ['a shift after input does not count', [shift(0, 0.1), shift(100, 1, true)], 'CLS 0.1 good'],
])('X1 CLS: %s', (_name, shifts, metric) => {
  expect(metricsOf({ 'layout-shift': shifts })).toEqual([metric])
})

test('X1 INP is the slowest interaction; a move of the pointer is none', () => {
  const event = [
    { duration: 900, interactionId: 0 },
    { duration: 240, interactionId: 7 },
    { duration: 120, interactionId: 8 },
  ]
  expect(metricsOf({ event })).toContain('INP 240 needs-improvement')
  expect(metricsOf({ event: event.slice(0, 1) })).toEqual(['CLS 0 good'])
  expect(metricsOf({ event: [{ duration: 48, interactionId: 9 }] })).toContain('INP 48 good')
})
