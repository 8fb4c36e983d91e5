// `next/web-vitals`: reports how fast the page was, from the browser's own entries (X1).

import { useEffect, useRef } from 'react'
import { type Metric, watchVitals } from './watch-vitals.ts'

export type { Metric }

/** Calls `report` with each metric: TTFB and FCP when they are known, LCP, CLS and INP when the page is left or hidden. */
export function useReportWebVitals(report: (metric: Metric) => void): void {
  const latest = useRef(report)
  latest.current = report
  useEffect(() => watchVitals((metric) => latest.current(metric)), [])
}
