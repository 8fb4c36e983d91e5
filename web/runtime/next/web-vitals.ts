// `next/web-vitals`: reports how fast the page was (X1), with the package that Next.js uses.

import { useEffect, useRef } from 'react'
import { type Metric, onCLS, onFCP, onINP, onLCP, onTTFB } from 'web-vitals'

export type { Metric }

/** Calls `report` with each metric: TTFB and FCP when they are known, LCP, CLS and INP when the page is left or hidden. */
export function useReportWebVitals(report: (metric: Metric) => void): void {
  const latest = useRef<typeof report>(undefined)
  // Once: the package has no end.
  useEffect(() => watchVitals((metric) => latest.current?.(metric)), [])
  useEffect(() => {
    latest.current = report
    return () => {
      latest.current = undefined
    }
  }, [report])
}

/** Watches every metric of this page. */
export function watchVitals(report: (metric: Metric) => void): void {
  for (const watch of [onTTFB, onFCP, onLCP, onCLS, onINP]) watch(report)
}
