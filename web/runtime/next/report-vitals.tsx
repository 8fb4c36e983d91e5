// `reportWebVitals` of `_app` (X16): the metrics of `next/web-vitals`, and the durations of hydration and of navigations,
// which have the names of Next.js.

import { type ComponentType, useLayoutEffect, useRef } from 'react'
import type { AppProps, NextWebVitalsMetric } from './app.tsx'
import Router from './router.tsx'
import { watchVitals } from './web-vitals.ts'

/** Puts `_app` into a component that measures it. */
export function measured(
  App: ComponentType<AppProps>,
  report: (metric: NextWebVitalsMetric) => void,
): ComponentType<AppProps> {
  const loadedAt = performance.now()
  /** When the navigation began that is not shown yet. */
  let leftAt: number | undefined
  watchVitals(({ id, name, value, entries }) =>
    report({ id, name, value, startTime: entries[0]?.startTime ?? 0, label: 'web-vital' }),
  )
  Router.events.on('routeChangeStart', () => {
    leftAt = performance.now()
  })
  const measure = (name: string, start: number, end: number) => {
    performance.measure(name, { start, end })
    const id = `${Date.now()}-${Math.floor(Math.random() * 9e12) + 1e12}`
    report({ id, name, startTime: start, value: end - start, label: 'custom' })
  }
  return function Measured(props: AppProps) {
    const { Component, pageProps } = props
    const began = performance.now()
    const isHydrated = useRef(false)
    // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page that is shown.
    useLayoutEffect(() => {
      const now = performance.now()
      if (!isHydrated.current) measure('Next.js-hydration', loadedAt, now)
      else if (leftAt !== undefined) {
        measure('Next.js-route-change-to-render', leftAt, began)
        measure('Next.js-render', began, now)
      }
      isHydrated.current = true
      leftAt = undefined
    }, [Component, pageProps])
    return <App {...props} />
  }
}
