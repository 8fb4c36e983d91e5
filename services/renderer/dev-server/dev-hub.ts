// The development connection's server end: who is connected, what is broken now, and messages to all (V2).

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import {
  DEV_PROTOCOL,
  type DevError,
  type DevServerMessage,
  type DevSource,
  type DevWarning,
  parseDevBrowserMessage,
} from '../../shared/wire/dev-wire.ts'

/** The part of Vite's channel that a page takes part in. */
export interface PeerChannel {
  join(peer: Peer): void
  leave(peer: Peer): void
  receive(peer: Peer, text: string): void
}
interface Peer {
  send(text: string): void
}

export interface DevHub {
  /** Takes a socket over; its origin was checked. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void
  send(message: DevServerMessage): void
  /** Files changed: pages that hear nothing of it now will know by the number. */
  noteVersion(version: number): void
  /** Shows an error until its source is mended. */
  report(error: DevError): void
  warn(warning: DevWarning): void
  mend(source: DevSource, file?: string): void
  standing(source: DevSource): readonly DevError[]
  close(): void
}

export interface DevHubDeps {
  channel: () => PeerChannel
  open: (file: string, line: number, column: number) => void
}

/** Largest message of a page; Vite's are some hundred bytes. */
const MESSAGE_LIMIT_BYTES = 64 * 1024
/**
 * Errors of one request: shown to the pages that are open then and the first that is opened after it, which is the one that
 * asked. Others would be covered by what may be over; what is still wrong comes again when it is asked for.
 */
const PASSING: ReadonlySet<DevSource> = new Set(['render', 'data', 'action', 'api'])
/** Warnings that a page opened later is told of. */
const MOST_WARNINGS = 50

export function createDevHub({ channel, open }: DevHubDeps): DevHub {
  const server = randomBytes(8).toString('hex')
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_LIMIT_BYTES,
    perMessageDeflate: false,
    handleProtocols: (protocols) => (protocols.has(DEV_PROTOCOL) ? DEV_PROTOCOL : false),
  })
  let version = 0
  const errors = new Map<string, DevError>()
  /** Passing errors that no page opened later is told of. */
  const told = new Set<string>()
  const warnings = new Map<string, DevWarning>()
  const keyOf = ({ source, file, line, message }: DevError) => JSON.stringify([source, file, line, message])
  const send = (message: DevServerMessage) => {
    const text = JSON.stringify(message)
    for (const client of sockets.clients) client.send(text)
  }

  const greet = (socket: WebSocket) => {
    const tell = (message: DevServerMessage) => socket.send(JSON.stringify(message))
    const peer: Peer = { send: (data) => tell({ kind: 'vite', data }) }
    tell({ kind: 'hello', server, version })
    for (const [key, error] of errors) {
      if (told.has(key)) continue
      tell({ kind: 'error', error })
      if (PASSING.has(error.source)) told.add(key)
    }
    for (const warning of warnings.values()) tell({ kind: 'warning', ...warning })
    const joined = channel()
    joined.join(peer)
    socket.on('message', (data, isBinary) => {
      const message = isBinary ? undefined : parseDevBrowserMessage(String(data))
      if (message?.kind === 'vite') joined.receive(peer, message.data)
      if (message?.kind === 'open') open(message.file, message.line, message.column)
    })
    socket.on('close', () => joined.leave(peer))
    // A broken connection closes by itself; the page connects again.
    socket.on('error', () => {})
  }

  return {
    accept(request, socket, head) {
      const asked = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
      if (!asked.includes(DEV_PROTOCOL)) return void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
      sockets.handleUpgrade(request, socket, head, greet)
    },
    send,
    noteVersion(next) {
      version = next
      send({ kind: 'version', version })
    },
    report(error) {
      errors.set(keyOf(error), error)
      told.delete(keyOf(error))
      send({ kind: 'error', error })
    },
    warn(warning) {
      const key = `${warning.file} ${warning.text}`
      if (warnings.has(key)) return
      warnings.set(key, warning)
      if (warnings.size > MOST_WARNINGS) warnings.delete(warnings.keys().next().value!)
      send({ kind: 'warning', ...warning })
    },
    mend(source, file) {
      let isMended = false
      for (const [key, error] of errors)
        if (error.source === source && (file === undefined || error.file === file))
          isMended = errors.delete(key) || isMended
      for (const key of told) if (!errors.has(key)) told.delete(key)
      if (isMended) send({ kind: 'mended', source, ...(file !== undefined && { file }) })
    },
    standing: (source) => [...errors.values()].filter((error) => error.source === source),
    close() {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
    },
  }
}
