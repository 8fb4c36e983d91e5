// The development connection (V2): one WebSocket at `{prefix}/dev`, JSON messages both ways. Vite's own protocol
// is carried in these messages, so that one rule of reconnection covers both.

import { isRecord, parseJson } from '../json/json-value.ts'
import { prefixOf } from '../routing/urls.ts'

/** The subprotocol that the browser requests; a socket without the subprotocol is refused. */
export const DEV_PROTOCOL = 'portico-dev'
/** The development server sends `hello` within this time of an opened socket, or the attempt counts as failed. */
export const DEV_HELLO_TIMEOUT_MS = 5000
/** Event of the browser's window: edited code runs in the page now. */
export const DEV_EDITED_EVENT = 'portico:edited'

/** Where an error occurred. The errors of each source are cleared separately. */
export type DevSource = 'build' | 'config' | 'render' | 'data' | 'action' | 'api'
const DEV_SOURCES: readonly DevSource[] = ['build', 'config', 'render', 'data', 'action', 'api']

export interface DevFrameLine {
  line: number
  text: string
  isFault: boolean
}

export interface DevStackFrame {
  name: string
  /** App-relative where it is in the app folder, else absolute or a package's name. */
  file: string
  line: number
  column: number
}

export interface DevError {
  source: DevSource
  message: string
  /** App-relative where it is in the app folder. `line` and `column` count from 1. */
  file?: string
  line?: number
  column?: number
  frame?: DevFrameLine[]
  stack: DevStackFrame[]
  /** The section of the documentation that explains the rule: page and heading. */
  docs?: string
  /** Names the log line of E4. */
  digest?: string
  /** Path of the requested page, basePath included; absent for an error of every page. */
  url?: string
}

export interface DevWarning {
  text: string
  file?: string
  line?: number
}

export type DevServerMessage =
  /**
   * First message of a connection. Another `server` than before means that the server restarted; another `version`
   * than the last reported one means that files changed while the page was disconnected.
   */
  | { kind: 'hello'; server: string; version: number }
  /** A file changed; other messages report the effect on the page. */
  | { kind: 'version'; version: number }
  /** One message of Vite's protocol, as text. */
  | { kind: 'vite'; data: string }
  | { kind: 'error'; error: DevError }
  /** All errors of this source are fixed; with `file` only the errors of this file. */
  | { kind: 'mended'; source: DevSource; file?: string }
  /** Pages or settings changed: the browser's route table is old. `gone`: patterns whose documents are old. */
  | { kind: 'routes'; buildId: string; gone: string[] }
  /** Server-side code or content changed: the page's data is old. */
  | { kind: 'changed' }
  /** All current warnings of the server; they replace those of the message before. */
  | { kind: 'warnings'; warnings: DevWarning[] }

export type DevBrowserMessage =
  | { kind: 'vite'; data: string }
  /** Opens a file in the author's editor; the server takes only files of the app folder and the framework. */
  | { kind: 'open'; file: string; line: number; column: number }

/** Page and heading of the documentation. The same form is the end of an address, so that nothing else may be in it. */
const DOCS_SECTION = /^[\w-]+#[\p{L}\p{N}-]+$/u

/** Parameter of the socket's address: the id of the request for a document that shows only its failure. */
export const DEV_DOCUMENT_PARAM = 'document'

/** The socket's path, basePath included. */
export function devSocketPath(basePath: string): string {
  return `${prefixOf(basePath)}/dev`
}

/** The stylesheets of a page (the address of its module) in the order in which they apply: ids of Vite. */
export interface DevStyles {
  /** Of `_app`. */
  app: string[]
  page: string[]
}

/** The address of a page's DevStyles, next to the development connection, with the page in the parameter `page`. */
export function devStylesPath(socketPath: string): string {
  return `${socketPath}/styles`
}

/** Parses a message of the server; undefined for anything else. */
export function parseDevServerMessage(text: string): DevServerMessage | undefined {
  const message = parseRecord(text)
  if (!message) return undefined
  switch (message.kind) {
    case 'hello':
      if (!isText(message.server) || !isCount(message.version)) return undefined
      return { kind: 'hello', server: message.server, version: message.version }
    case 'version':
      return isCount(message.version) ? { kind: 'version', version: message.version } : undefined
    case 'vite':
      return isText(message.data) ? { kind: 'vite', data: message.data } : undefined
    case 'error': {
      const error = parseDevError(message.error)
      return error && { kind: 'error', error }
    }
    case 'mended': {
      const source = DEV_SOURCES.find((known) => known === message.source)
      return source && { kind: 'mended', source, ...(isText(message.file) && { file: message.file }) }
    }
    case 'routes':
      return isText(message.buildId) && Array.isArray(message.gone)
        ? { kind: 'routes', buildId: message.buildId, gone: message.gone.filter(isText) }
        : undefined
    case 'changed':
      return { kind: 'changed' }
    case 'warnings':
      if (!Array.isArray(message.warnings)) return undefined
      return { kind: 'warnings', warnings: message.warnings.flatMap(parseWarning) }
    default:
      return undefined
  }
}

/** Parses a message of the browser; undefined for anything else. */
export function parseDevBrowserMessage(text: string): DevBrowserMessage | undefined {
  const message = parseRecord(text)
  if (message?.kind === 'vite') return isText(message.data) ? { kind: 'vite', data: message.data } : undefined
  if (message?.kind !== 'open' || !isText(message.file)) return undefined
  const { file, line, column } = message
  return isCount(line) && isCount(column) ? { kind: 'open', file, line, column } : undefined
}

function parseDevError(value: unknown): DevError | undefined {
  if (!isRecord(value) || !isText(value.message)) return undefined
  const source = DEV_SOURCES.find((known) => known === value.source)
  if (!source) return undefined
  return {
    source,
    message: value.message,
    ...placeOf(value),
    ...(isCount(value.column) && { column: value.column }),
    ...(Array.isArray(value.frame) && { frame: value.frame.filter(isFrameLine) }),
    stack: Array.isArray(value.stack) ? value.stack.filter(isStackFrame) : [],
    ...(isText(value.docs) && DOCS_SECTION.test(value.docs) && { docs: value.docs }),
    ...(isText(value.digest) && { digest: value.digest }),
    ...(isText(value.url) && { url: value.url }),
  }
}

function parseWarning(value: unknown): DevWarning[] {
  return isRecord(value) && isText(value.text) ? [{ text: value.text, ...placeOf(value) }] : []
}

function placeOf({ file, line }: Record<string, unknown>): { file?: string; line?: number } {
  return { ...(isText(file) && { file }), ...(isCount(line) && { line }) }
}

function isFrameLine(value: unknown): value is DevFrameLine {
  return isRecord(value) && isCount(value.line) && isText(value.text) && typeof value.isFault === 'boolean'
}

function isStackFrame(value: unknown): value is DevStackFrame {
  return isRecord(value) && isText(value.name) && isText(value.file) && isCount(value.line) && isCount(value.column)
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text)
  return isRecord(value) ? value : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
