// Keeps what the page shows of the server fresh without losing its state; a page that never started is loaded again.

import type { DevPage } from '../boot/dev-host.ts'

export interface Refresher {
  /** The page hydrates. */
  start(page: DevPage): void
  hasStarted(): boolean
  /** Asks for page data anew, once for news that come together. */
  refresh(): void
  /** Loads the document again if it holds nothing but an error screen. */
  leaveErrorScreen(): void
}

/** One change of a file may be told of in several messages. */
const TOGETHER_MS = 30

export interface RefresherDeps {
  reload: () => void
  /** Status that the document was answered with; undefined where nothing could be rendered. */
  documentStatus: number | undefined
}

export function createRefresher({ reload, documentStatus }: RefresherDeps): Refresher {
  let isErrorDocument = documentStatus === undefined || documentStatus >= 400
  let page: DevPage | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const refresh = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      // Without a started page, or on an error screen, there is no state to keep.
      if (!page || isErrorDocument) return reload()
      // Data that cannot be had leaves the page as it is; the server tells of the error.
      page.refresh().catch(() => {})
    }, TOGETHER_MS)
  }
  return {
    start(started) {
      page = started
      started.events.on('routeChangeComplete', () => {
        isErrorDocument = false
      })
    },
    hasStarted: () => page !== undefined,
    refresh,
    leaveErrorScreen() {
      if (!page || isErrorDocument) refresh()
    },
  }
}
