// What the page does with each message of the development server: update faults, request data again, reload.

import type { DevServerMessage, DevWarning } from '@portico/shared/wire/dev/dev-wire.ts'
import { type Faults, isOfBrowser } from './fault-list.ts'
import type { Refresher } from './refresh.ts'
import { isViteUpdate, type ViteCarrier } from './vite-socket.ts'

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
