// Requests the page's data again without losing the page's state; reloads a page that never started.

import type { DevPage } from '../hosts.ts'

export interface Refresher {
  /** The page hydrates. */
  start(page: DevPage): void
  hasStarted(): boolean
  /** Requests page data again, once for calls in quick succession. */
  refresh(): void
  /** A module of the page is being replaced. */
  replacing(): void
  /** Loads the document again if the document is only an error screen. */
  leaveErrorScreen(): void
  /** The server has this build id now, and sends data of no other one. */
  noteBuild(buildId: string): void
}

/** The server reports one change of a file in several messages at the same time. */
const TOGETHER_MS = 4
/** New data is for the new module: the page's module is replaced first, which takes about this long. */
const REPLACED_MS = 30

interface RefresherDeps {
  reload: () => void
  /** Status of the document's response; undefined when nothing could be rendered. */
  documentStatus: number | undefined
  /** Build id of the document, with which the page requests data. */
  documentBuild: string | undefined
}

export function createRefresher({ reload, documentStatus, documentBuild }: RefresherDeps): Refresher {
  let isErrorDocument = documentStatus === undefined || documentStatus >= 400
  let isOtherBuild = false
  let page: DevPage | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let replacedAt = Number.NEGATIVE_INFINITY
  const refresh = () => {
    clearTimeout(timer)
    timer = setTimeout(
      () => {
        // A page that never started, or shows an error screen, has no state to keep. One of another build gets no data.
        if (!page || isErrorDocument || isOtherBuild) return reload()
        // The page remains as it is when its data cannot be fetched; the server reports the error.
        page.refresh().catch(() => {})
      },
      Math.max(TOGETHER_MS, replacedAt - performance.now()),
    )
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
    replacing() {
      replacedAt = performance.now() + REPLACED_MS
    },
    leaveErrorScreen() {
      if (!page || isErrorDocument) refresh()
    },
    noteBuild(buildId) {
      isOtherBuild = buildId !== documentBuild
    },
  }
}
