// What the other services and the renderer say to each other under development, at the renderer's inner port: the states of
// the app folder, the modules that the actions service runs, and errors to show.

import type { Manifest } from '../build-output.ts'
import type { DevSource } from './dev-wire.ts'

export const DEV_INNER_PATHS = {
  feed: '/internal/dev/feed',
  modules: '/internal/dev/modules',
  error: '/internal/dev/error',
} as const

/**
 * Requests the state after the one that the service has, which the feed sends when there is one; -1 requests the current
 * one. The request is the receipt for the state that it names.
 */
export interface DevFeedRequest {
  /** The service. */
  name: string
  revision: number
  version: number
}

/** A state of the app folder. */
export interface DevUpdate {
  /** Increases with every state; a renderer that has started again begins at the clock. */
  revision: number
  /** Increases with every change that a page may show. */
  version: number
  /** Absolute paths that changed since the version of the request; absent when everything must be loaded again. */
  files?: string[]
  manifest: Manifest
  /** Module that exports `bundle: ActionsBundle`, as the module runner imports it. */
  entry: string
}

/** An error that another service threw; the renderer formats and shows the error. */
export interface ThrownError {
  source: DevSource
  message: string
  stack: string
  digest?: string
  /** Path of the requested page. */
  url?: string
  /** Id of the request for the page. */
  requestId?: string
  /** Version of the sources that were running; an error of a file that changed since then is not shown. */
  version?: number
  /** What the bundler reports for a module that it cannot read. */
  id?: string
  loc?: { file?: string; line?: number; column?: number }
}

/** The part of an error that is sent; any value can be thrown. Bundlers add the module and position of a fault. */
export function thrownError(source: DevSource, error: unknown, digest?: string): ThrownError {
  const { message, stack, id, loc, plugin, code } = recordOf(error)
  const place = loc === undefined ? undefined : placeOf(recordOf(loc))
  const isBuild = typeof plugin === 'string' || code === 'ERR_LOAD_URL' || code === 'PARSE_ERROR' || place !== undefined
  return {
    source: isBuild ? 'build' : source,
    message: (typeof message === 'string' ? message : textOf(error)) + (isBuild ? '' : causesOf(error)),
    stack: typeof stack === 'string' ? stack : '',
    ...(typeof id === 'string' && { id }),
    ...(place && { loc: place }),
    ...(digest !== undefined && { digest }),
  }
}

/** The causes that are shown of one error. */
const MAX_CAUSES = 3

/** A line for each cause: libraries of databases put what is wrong there. */
function causesOf(error: unknown, depth = 0): string {
  const { cause } = recordOf(error)
  if (cause === undefined || depth === MAX_CAUSES) return ''
  const { message } = recordOf(cause)
  return `\nCaused by: ${typeof message === 'string' ? message : textOf(cause)}${causesOf(cause, depth + 1)}`
}

function placeOf({ file, line, column }: Record<string, unknown>): ThrownError['loc'] {
  return {
    ...(typeof file === 'string' && { file }),
    ...(typeof line === 'number' && { line }),
    ...(typeof column === 'number' && { column }),
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** Objects without a message are written as JSON; for some values JSON and String() both throw. */
function textOf(error: unknown): string {
  try {
    return (typeof error === 'object' ? JSON.stringify(error) : undefined) ?? String(error)
  } catch {
    return Object.prototype.toString.call(error)
  }
}
