// The development client: joins connection, Vite's socket, faults and panel, and keeps the page fresh. Starts before
// everything else of the page, so that it can tell what goes wrong there.

import { PAGE_DATA_ELEMENT_ID } from '@portico/shared/wire/constants.ts'
import { DEV_PROTOCOL, type DevServerMessage, devSocketPath } from '@portico/shared/wire/dev/dev-wire.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import { matchRoute, prepareRoutes } from '@portico/shared/wire/routing/routes.ts'
import { stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { type DevPage, devHost } from '../boot/dev-host.ts'
import { watchBrowserFaults } from './browser-faults.ts'
import { createConnection } from './connection.ts'
import { createFaults, type Fault, type FaultsState } from './faults.ts'
import { createPanel, type Panel } from './panel/panel.ts'
import { watchPictures } from './picture-audit.ts'
import { createMapStack } from './places/map-stack.ts'
import { createRefresher } from './refresh.ts'
import { carryViteSockets, isViteUpdate } from './vite-socket.ts'

/** Called once, before anything else of the page is loaded. */
export function startDevClient(): void {
  const path = ownPath()
  const NativeWebSocket = WebSocket
  const reload = () => location.reload()
  const refresher = createRefresher({ reload, documentStatus: documentStatus() })
  const show = (state: FaultsState) =>
    panel?.showFaults({
      ...state,
      faults: state.faults.filter(({ url = location.pathname }) => url === location.pathname),
    })
  const faults = createFaults(show)
  const mapStack = createMapStack(`${path}/`, async (url) => (await fetch(url)).text())
  let panel: Panel | undefined
  let server: string | undefined
  let version = 0

  devHost.rootOptions = watchBrowserFaults({ mapStack, add: faults.add })
  devHost.onStart = (page: DevPage) => {
    refresher.start(page)
    // Sheets of the document prevented a flash; from here on the modules bring the same, and take it away with them.
    for (const link of document.querySelectorAll('link[data-portico][href*="?direct"]')) link.remove()
    // What a page did wrong is over with it; what is wrong in a file stays.
    page.events.on('routeChangeComplete', () => {
      faults.mend(isBrowsers)
      // A page's error on the server is shown there alone.
      show(faults.state())
    })
  }

  const receive = (message: DevServerMessage) => {
    switch (message.kind) {
      case 'hello':
        // Another process: modules of before would never hear of a change again.
        if (server !== undefined && server !== message.server) return reload()
        // The same one with changed files: Vite tells of no change twice, so the page may hold old code.
        if (server !== undefined && version !== message.version) return reload()
        // Nothing changed but, maybe, data. Errors that stand follow.
        if (server !== undefined) {
          faults.mend((fault) => !isBrowsers(fault))
          refresher.refresh()
        }
        server = message.server
        version = message.version
        return vite.open()
      case 'version':
        version = message.version
        return
      case 'vite':
        return receiveVite(message.data)
      case 'error':
        return faults.add(message.error)
      case 'mended':
        faults.mend(({ source, file }) => source === message.source && (message.file ?? file) === file)
        return refresher.refresh()
      case 'routes':
        // No edit of it would be seen any more.
        if (isShown(message.gone)) return reload()
        // The shown page stays; the next navigation meets another build and loads in full (N5). What is missing, or
        // broken, may be there now.
        return refresher.leaveErrorScreen()
      case 'changed':
        faults.clearWarnings()
        return refresher.refresh()
      case 'warning':
        console.warn(`[portico] ${message.text}`)
        return faults.warn(message)
    }
  }
  const isShown = (patterns: string[]) => {
    const pathname = stripBasePath(location.pathname, path.slice(0, -devSocketPath('').length)) ?? '/'
    return matchRoute(prepareRoutes(patterns.map((pattern) => ({ pattern }))), pathname).kind === 'match'
  }
  const receiveVite = (data: string) => {
    if (isViteUpdate(data)) {
      faults.mend(isBrowsers)
      faults.clearWarnings()
      if (!refresher.hasStarted()) return reload()
    }
    vite.receive(data)
  }

  const connection = createConnection({
    openSocket({ onMessage, onClose }) {
      const protocol = location.protocol === 'https:' ? 'wss' : 'ws'
      const socket = new NativeWebSocket(`${protocol}://${location.host}${path}`, DEV_PROTOCOL)
      socket.addEventListener('message', ({ data }) => onMessage(data))
      socket.addEventListener('close', onClose)
      return socket
    },
    setTimer: (callback, milliseconds) => setTimeout(callback, milliseconds),
    clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
    reload,
    onState: (state) => panel?.showConnection(state),
    onMessage: receive,
  })
  const vite = carryViteSockets(globalThis, connection.send)
  panel = createPanel({
    faults,
    open: (file, line, column) => connection.send({ kind: 'open', file, line, column }),
    reload,
    now: () => performance.now(),
  })
  watchPictures({ mapStack, tell: (warnings) => faults.setWarnings('pictures', warnings) })
}

function isBrowsers({ source }: Fault): boolean {
  return source === 'browser' || source === 'hydration'
}

/** Path of the development connection: this module stands below it. */
function ownPath(): string {
  const { pathname } = new URL(import.meta.url)
  const mark = devSocketPath('')
  return pathname.slice(0, pathname.indexOf(`${mark}/`)) + mark
}

function documentStatus(): number | undefined {
  const text = document.getElementById(PAGE_DATA_ELEMENT_ID)?.textContent
  return text ? (JSON.parse(text) as HydrationData).status : undefined
}
