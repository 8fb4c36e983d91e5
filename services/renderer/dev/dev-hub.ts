// The server end of the development connection: connected pages, current errors, and messages to all pages (V2).

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { refuseUpgrade } from '@portico/shared/kit/http/error-response.ts'
import {
  DEV_DOCUMENT_PARAM,
  DEV_PROTOCOL,
  type DevError,
  type DevServerMessage,
  type DevSource,
  type DevWarning,
  parseDevBrowserMessage,
} from '@portico/shared/wire/dev/dev-wire.ts'
import { splitTarget } from '@portico/shared/wire/routing/urls.ts'
import { type WebSocket, WebSocketServer } from 'ws'

/** The part of Vite's channel that a page uses. */
interface PeerChannel {
  join(peer: Peer): void
  leave(peer: Peer): void
  receive(peer: Peer, text: string): void
}
interface Peer {
  send(text: string): void
}

export interface DevHub {
  /** Accepts a socket whose origin was checked. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void
  send(message: DevServerMessage): void
  /** Files changed: a page that misses this message compares the version when it connects again. */
  noteVersion(version: number): void
  /** Shows an error until its source is fixed. `requestId`: of the document in which it occurred. */
  report(error: DevError, requestId?: string): void
  /** Replaces the warnings of a group: what was fixed is no longer in the list. */
  setWarnings(group: string, warnings: readonly DevWarning[]): void
  /** Removes the warnings of all groups. */
  clearWarnings(): void
  clear(source: DevSource, file?: string): void
  errorsOf(source: DevSource): readonly DevError[]
  close(): void
}

interface DevHubDeps {
  channel: () => PeerChannel
  open: (file: string, line: number, column: number) => void
}

/** Largest message of a page; Vite's messages have some hundred bytes. */
const MESSAGE_LIMIT_BYTES = 64 * 1024
/**
 * Errors of one request: shown on the open pages and on the first page opened later, which sent the request. Other
 * pages would be covered by an error that may be fixed; the next request reports an error again if it still occurs.
 */
const TRANSIENT: ReadonlySet<DevSource> = new Set(['render', 'data', 'action', 'api'])
/** Warnings that pages receive: the latest ones. */
const MAX_WARNINGS = 50

export function createDevHub({ channel, open }: DevHubDeps): DevHub {
  const server = randomBytes(8).toString('hex')
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_LIMIT_BYTES,
    perMessageDeflate: false,
    handleProtocols: (protocols) => (protocols.has(DEV_PROTOCOL) ? DEV_PROTOCOL : false),
  })
  const notices = createNotices()
  let version = 0
  const send = (message: DevServerMessage) => {
    const text = JSON.stringify(message)
    for (const client of sockets.clients) client.send(text)
  }

  const sendWarnings = () => send({ kind: 'warnings', warnings: notices.warnings() })

  const greet = (socket: WebSocket, { url = '/' }: IncomingMessage) => {
    const document = new URLSearchParams(splitTarget(url).search).get(DEV_DOCUMENT_PARAM)
    const sendTo = (message: DevServerMessage) => socket.send(JSON.stringify(message))
    const peer: Peer = { send: (data) => sendTo({ kind: 'vite', data }) }
    sendTo({ kind: 'hello', server, version })
    for (const error of notices.errorsForNewPage(document ?? '')) sendTo({ kind: 'error', error })
    sendTo({ kind: 'warnings', warnings: notices.warnings() })
    const joined = channel()
    joined.join(peer)
    socket.on('message', (data, isBinary) => {
      const message = isBinary ? undefined : parseDevBrowserMessage(String(data))
      if (message?.kind === 'vite') joined.receive(peer, message.data)
      if (message?.kind === 'open') open(message.file, message.line, message.column)
    })
    socket.on('close', () => joined.leave(peer))
    // A broken connection closes itself; the page connects again.
    socket.on('error', () => {})
  }

  return {
    accept(request, socket, head) {
      const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
      if (!protocols.includes(DEV_PROTOCOL)) return refuseUpgrade(socket, 'bad-request')
      sockets.handleUpgrade(request, socket, head, greet)
    },
    send,
    noteVersion(next) {
      version = next
      send({ kind: 'version', version })
    },
    report(error, requestId = '') {
      notices.add(error, requestId)
      send({ kind: 'error', error })
    },
    setWarnings(group, warnings) {
      if (notices.setWarnings(group, warnings)) sendWarnings()
    },
    clearWarnings() {
      if (notices.clearWarnings()) sendWarnings()
    },
    clear(source, file) {
      if (notices.clear(source, file)) send({ kind: 'mended', source, ...(file !== undefined && { file }) })
    },
    errorsOf: notices.errorsOf,
    close() {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
    },
  }
}

/** Current errors and warnings. */
function createNotices() {
  const errors = new Map<string, DevError>()
  /** Ids of the requests in which errors occurred last. */
  const requests = new Map<string, string>()
  /** Transient errors that were sent to a page and are not sent to later ones. */
  const delivered = new Set<string>()
  const warnings = new Map<string, readonly DevWarning[]>()
  const keyOf = ({ source, file, line, message }: DevError) => JSON.stringify([source, file, line, message])
  return {
    add(error: DevError, requestId: string) {
      const key = keyOf(error)
      errors.set(key, error)
      requests.set(key, requestId)
      delivered.delete(key)
    },
    /** Returns whether the warnings of the group changed. */
    setWarnings(group: string, next: readonly DevWarning[]): boolean {
      if (JSON.stringify(warnings.get(group) ?? []) === JSON.stringify(next)) return false
      warnings.delete(group)
      if (next.length > 0) warnings.set(group, next)
      return true
    },
    /** Returns whether there were any. */
    clearWarnings(): boolean {
      const hadWarnings = warnings.size > 0
      warnings.clear()
      return hadWarnings
    },
    /** Returns whether an error was removed. */
    clear(source: DevSource, file?: string): boolean {
      let isCleared = false
      for (const [key, error] of errors)
        if (error.source === source && (file === undefined || error.file === file))
          isCleared = errors.delete(key) || isCleared
      for (const key of requests.keys())
        if (!errors.has(key)) {
          delivered.delete(key)
          requests.delete(key)
        }
      return isCleared
    },
    /** The page of a failed request has its error even if a page that was unloaded connected before. */
    errorsForNewPage(document: string): DevError[] {
      const isOf = (key: string) => document !== '' && requests.get(key) === document
      const unsent = [...errors].filter(([key]) => !delivered.has(key) || isOf(key))
      for (const [key, { source }] of unsent) if (TRANSIENT.has(source)) delivered.add(key)
      return unsent.map(([, error]) => error)
    },
    errorsOf: (source: DevSource) => [...errors.values()].filter((error) => error.source === source),
    warnings: () => [...warnings.values()].flat().slice(-MAX_WARNINGS),
  }
}
