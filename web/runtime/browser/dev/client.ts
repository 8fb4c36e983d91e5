// The development client: joins connection, Vite's socket, faults and panel, and keeps the page's data current. Starts
// before everything else of the page, so that the client can report faults of the start.

import { NEXT_DATA_ELEMENT_ID, PAGE_DATA_ELEMENT_ID } from '@portico/shared/wire/constants.ts'
import {
  DEV_DOCUMENT_PARAM,
  DEV_EDITED_EVENT,
  DEV_PROTOCOL,
  type DevStyles,
  type DevWarning,
  devSocketPath,
  devStylesPath,
} from '@portico/shared/wire/dev/dev-wire.ts'
import type { NextData } from '@portico/shared/wire/next/next-data.ts'
import type { HydrationData } from '@portico/shared/wire/page-data.ts'
import { matchRoute, prepareRoutes } from '@portico/shared/wire/routing/routes.ts'
import { stripBasePath } from '@portico/shared/wire/routing/urls.ts'
import { devHost } from '../hosts.ts'
import { watchBlockedResources } from './blocked-resources.ts'
import { watchBrowserFaults } from './browser-faults.ts'
import { createConnection, type DevConnection } from './connection.ts'
import { createFaults, type FaultsState, isOfBrowser } from './fault-list.ts'
import { watchImages } from './image-audit.ts'
import { createMapStack } from './map-stack.ts'
import { createPanel } from './panel.ts'
import { createReceiver, createRefresher } from './receive-message.ts'
import { createStyleOrder } from './style-order.ts'
import { carryViteSockets } from './vite-socket.ts'

/** Called once, before anything else of the page is loaded. */
export function startDevClient(): void {
  const path = ownPath()
  const reload = () => location.reload()
  const { buildId, status, sourceVersion, requestId } = documentData()
  const openSocket = createSocketOpener(requestId === undefined ? path : `${path}?${DEV_DOCUMENT_PARAM}=${requestId}`)
  const refresher = createRefresher({ reload, documentStatus: status, documentBuild: buildId })
  const showFaults = (state: FaultsState) => panel.showFaults(onShownPage(state))
  const faults = createFaults(showFaults)
  const mapStack = createMapStack(`${path}/`, async (url) => (await fetch(url)).text())

  const setWarnings = (warnings: readonly DevWarning[]) => faults.setWarnings('policy', warnings)
  const forgetBlocked = watchBlockedResources({ mapStack, setWarnings })
  devHost.rootOptions = watchBrowserFaults({ mapStack, add: faults.addOfCode })
  const styles = createStyleOrder({ fetchStyles: (module) => fetchStyles(path, module) })
  devHost.styles = styles
  addEventListener(DEV_EDITED_EVENT, () => void styles.update())
  devHost.onStart = (page) => {
    refresher.start(page)
    // The document's stylesheets prevented a flash; the modules have the same styles, and remove them when they change.
    for (const link of document.querySelectorAll('link[data-portico][href*="?direct"]')) link.remove()
    // Faults of a page in the browser end with the page; faults of files remain.
    page.events.on('routeChangeComplete', () => {
      faults.clear(isOfBrowser)
      forgetBlocked()
      // The overlay shows a page's error on the server only on that page.
      showFaults(faults.state())
    })
  }

  const panel = createPanel({
    faults,
    open: (file, line, column) => connection.send({ kind: 'open', file, line, column }),
    docsUrl: (page) => `${path}/docs/${page}`,
    reload,
    now: () => performance.now(),
  })
  const vite = carryViteSockets(globalThis, (message) => connection.send(message))
  const connection: DevConnection = createConnection({
    openSocket,
    setTimer: (callback, milliseconds) => setTimeout(callback, milliseconds),
    clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
    reload,
    onState: panel.showConnection,
    onMessage: createReceiver({
      faults,
      refresher,
      vite,
      reload,
      documentVersion: sourceVersion,
      isShown: (patterns) => isShown(patterns, path),
    }),
  })
  watchImages({ mapStack, report: (warnings) => faults.setWarnings('images', warnings) })
}

/** Opens sockets with the browser's own constructor, which Vite's client and scripts of the page may replace later. */
function createSocketOpener(target: string): Parameters<typeof createConnection>[0]['openSocket'] {
  const NativeWebSocket = WebSocket
  return ({ onMessage, onClose }) => {
    const protocol = location.protocol === 'https:' ? 'wss' : 'ws'
    const socket = new NativeWebSocket(`${protocol}://${location.host}${target}`, DEV_PROTOCOL)
    socket.addEventListener('message', ({ data }) => onMessage(data))
    socket.addEventListener('close', onClose)
    return socket
  }
}

/** The connection reports a server that does not respond. */
async function fetchStyles(path: string, module: string): Promise<DevStyles | undefined> {
  const response = await fetch(`${devStylesPath(path)}?page=${encodeURIComponent(module)}`).catch(() => undefined)
  // The cast: the development server that made this script made the response.
  return response?.ok ? ((await response.json()) as DevStyles) : undefined
}

/** The state without the faults of other pages. */
function onShownPage(state: FaultsState): FaultsState {
  const { pathname } = location
  return { ...state, faults: state.faults.filter(({ url = pathname }) => url === pathname) }
}

/** Whether one of the routes is that of the shown page. */
function isShown(patterns: readonly string[], path: string): boolean {
  const pathname = stripBasePath(location.pathname, path.slice(0, -devSocketPath('').length)) ?? '/'
  return matchRoute(prepareRoutes(patterns.map((pattern) => ({ pattern }))), pathname).kind === 'match'
}

/** Path of the development connection: the address of this module is below it. */
function ownPath(): string {
  const { pathname } = new URL(import.meta.url)
  const mark = devSocketPath('')
  return pathname.slice(0, pathname.indexOf(`${mark}/`)) + mark
}

/** The data element, which documents of failures have, too. */
function documentData(): Partial<Pick<HydrationData, 'buildId' | 'status' | 'sourceVersion'>> & { requestId?: string } {
  // A document of a failure has our own element in every site.
  const own = document.getElementById(PAGE_DATA_ELEMENT_ID)?.textContent
  if (own) return JSON.parse(own) as HydrationData
  const text = document.getElementById(NEXT_DATA_ELEMENT_ID)?.textContent
  return text ? (JSON.parse(text) as NextData).portico : {}
}
