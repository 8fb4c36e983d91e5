// Marks navigations in the browser's timeline, for measurements: a PerformanceObserver of `mark` is notified of each.

import type { RouterEvents } from '../../react/contexts/router-context.ts'

/** Names begin with `portico:`; `detail.url` is the address. Only the marks of the last navigation are kept: a tab may stay open. */
export function markNavigations(events: RouterEvents): void {
  const mark = (name: string) => (url: unknown) => {
    performance.clearMarks(name)
    performance.mark(name, { detail: { url } })
  }
  events.on('routeChangeStart', mark('portico:navigation-start'))
  events.on('routeChangeComplete', mark('portico:navigation-commit'))
}
