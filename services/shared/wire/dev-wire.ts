// What the development server and the page in the browser tell each other (V2): JSON messages over one socket at
// `{prefix}/dev`. Development only; a production build holds nothing of it.

import { prefixOf } from './urls.ts'

/** Subprotocol of the socket; anything else is refused. */
export const DEV_PROTOCOL = 'portico-dev'

/** Where an error was made. */
export type DevErrorSource = 'build' | 'config' | 'render' | 'data' | 'action' | 'api'

export interface DevFrameLine {
  line: number
  text: string
  isFault: boolean
}

export interface DevStackLine {
  /** Function name; empty at the top of a module. */
  name: string
  /** App-relative, or `portico:…` and package names for what is not the author's. */
  file: string
  line: number
  column: number
}

export interface DevError {
  source: DevErrorSource
  message: string
  /** App-relative path of the source that is to blame, where it is known. */
  file?: string
  /** From 1. */
  line?: number
  /** From 1. */
  column?: number
  frame?: DevFrameLine[]
  stack: DevStackLine[]
  /** As on the error screen and in the log (E4). */
  digest?: string
}

export type DevServerMessage =
  /** First on every connection; another `server` than before is another process. Errors that stand follow it. */
  | { kind: 'hello'; server: string; buildId: string }
  /** A message of Vite's own protocol, as its socket would have carried it. */
  | { kind: 'vite'; data: string }
  | { kind: 'error'; error: DevError }
  /** Every error of this source is gone. */
  | { kind: 'mended'; source: DevErrorSource }
  /** Routes, data kinds or settings changed: the browser's manifest of before is no longer true. */
  | { kind: 'routes'; buildId: string }
  /** Code that only the server runs changed (app-relative names): page data may be other now. */
  | { kind: 'changed'; files: string[] }
  | { kind: 'warning'; text: string; file?: string }

export type DevBrowserMessage =
  | { kind: 'vite'; data: string }
  /** Opens a file of the app folder in the author's editor. */
  | { kind: 'open'; file: string; line: number; column: number }

/** Path of the development socket; the development server's files stand below it. */
export function devPath(basePath: string): string {
  return `${prefixOf(basePath)}/dev`
}

/** Reads a message of the server; undefined when it is none. */
export function parseDevServerMessage(text: string): DevServerMessage | undefined {
  const message = parseKind(text)
  // The server of this same repository wrote it; the subprotocol stands for the shape.
  return message && (message as unknown as DevServerMessage)
}

/** SECURITY: reads a message of a browser; undefined for every other shape, so that nothing else reaches Vite or an editor. */
export function parseDevBrowserMessage(text: string): DevBrowserMessage | undefined {
  const message = parseKind(text)
  if (!message) return undefined
  const { kind, data, file, line, column } = message
  if (kind === 'vite') return typeof data === 'string' ? { kind, data } : undefined
  if (kind !== 'open' || typeof file !== 'string' || !isCount(line) || !isCount(column)) return undefined
  return { kind, file, line, column }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

function parseKind(text: string): (Record<string, unknown> & { kind: string }) | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    return typeof (value as { kind?: unknown }).kind === 'string'
      ? (value as Record<string, unknown> & { kind: string })
      : undefined
  } catch {
    // Not JSON: no message of ours.
    return undefined
  }
}
