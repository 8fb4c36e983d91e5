// What the page does with each message of the development server: update faults, request its data again without losing its
// state, reload; a page that never started is reloaded.

import type { DevServerMessage, DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'
import type { DevPage } from '../hosts.ts'
import { type Faults, isOfBrowser } from './fault-list.ts'
import { isViteUpdate, type ViteCarrier } from './vite-socket.ts'

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

interface ReceiverDeps {
  faults: Pick<Faults, 'add' | 'clear' | 'replaceCode' | 'setWarnings'>
  refresher: Omit<Refresher, 'start'>
  vite: ViteCarrier
  reload: () => void
  /** Version of the sources that the document shows; undefined where nothing could be rendered. */
  documentVersion?: number | undefined
  /** Whether one of the patterns is the route of the shown page. */
  isShown: (patterns: readonly string[]) => boolean
}

export function createReceiver({ faults, refresher, vite, reload, documentVersion, isShown }: ReceiverDeps) {
  /** Warnings of the server in the console. */
  let shown: ReadonlySet<string> = new Set()
  let known: { server: string; version: number } | undefined

  const greet = ({ server, version }: { server: string; version: number }) => {
    const before = known
    known = { server, version }
    // Vite reports a change once, and another process reports no change of modules that it did not load: the page may
    // have old code.
    if (before && (before.server !== server || before.version !== version)) return reload()
    // A file changed, or another server started, between the document and the connection: no message reports this change.
    if (!before && documentVersion !== undefined && documentVersion !== version) return reload()
    // The files are the same, but the data may have changed. The server sends its current errors next.
    if (before) {
      faults.clear((fault) => !isOfBrowser(fault))
      refresher.refresh()
    }
    vite.open()
  }
  const receiveVite = (data: string) => {
    if (isViteUpdate(data)) {
      faults.replaceCode()
      if (!refresher.hasStarted()) return reload()
      refresher.replacing()
    }
    vite.receive(data)
  }
  const receiveWarnings = (warnings: readonly DevWarning[]) => {
    const texts = new Set(warnings.map(({ text }) => text))
    for (const text of texts.difference(shown)) console.warn(`[portico] ${text}`)
    shown = texts
    faults.setWarnings('server', warnings)
  }

  return (message: DevServerMessage) => {
    switch (message.kind) {
      case 'hello':
        return greet(message)
      case 'version':
        if (known) known.version = message.version
        return
      case 'vite':
        return receiveVite(message.data)
      case 'error':
        return faults.add(message.error)
      case 'mended':
        faults.clear(({ source, file }) => source === message.source && (message.file ?? file) === file)
        return refresher.refresh()
      case 'routes':
        // The file of the shown page was removed, and the server would report no further change of it; or the page has
        // another policy, which only a document brings.
        if (isShown(message.gone)) return reload()
        // The shown page remains until its data changes; the next navigation finds another build and loads the document
        // (N5). A page that was missing or broken may be available now.
        refresher.noteBuild(message.buildId)
        return refresher.leaveErrorScreen()
      case 'changed':
        // The page's data comes from other code now: an error that persists is reported again.
        faults.clear(isOfBrowser)
        return refresher.refresh()
      case 'warnings':
        return receiveWarnings(message.warnings)
    }
  }
}
