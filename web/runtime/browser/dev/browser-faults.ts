// Reports faults that occur in the browser: uncaught errors, errors that a boundary caught, and hydration differences: what
// the server sent, what the browser rendered, and where.

import { controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import { captureOwnerStack, version } from 'react'
import type { HydrationOptions } from 'react-dom/client'
import { evalRemedy } from './blocked-resources.ts'
import type { Difference, Fault } from './fault-list.ts'
import { type MapStack, READ_STACK_FRAMES } from './map-stack.ts'

/** Beginning of the warning of React's development build when only attributes differ. */
const ATTRIBUTES = 'A tree hydrated but some attributes'
const FAILED = /^Hydration failed because|^Text content does not match/
const HELP_LINK = /https:\/\/react\.dev\/link\/hydration-mismatch/

/** The difference in a message of `onRecoverableError`; undefined for other messages. */
export function differenceOfError(message: string): Difference | undefined {
  if (!FAILED.test(message)) return undefined
  return parseDifference(message.split(HELP_LINK)[1] ?? '')
}

/** The difference in the arguments of `console.error`; undefined for other calls. */
export function differenceOfConsole(details: readonly unknown[]): Difference | undefined {
  const [text] = details
  if (typeof text !== 'string' || !text.startsWith(ATTRIBUTES)) return undefined
  return parseDifference(details.filter((detail) => typeof detail === 'string').at(-1) ?? '')
}

/** The attributes that have another value, or are on one side only. */
export function attributesOf({ server, browser }: Difference): string[] {
  const found = (text: string) => text.split('\n').filter((line) => /^[A-Za-z][\w-]*[={]/.test(line))
  const [ours, theirs] = [new Set(found(server)), new Set(found(browser))]
  return [...new Set([...ours.symmetricDifference(theirs)].map((line) => line.split(/[={]/)[0]!))]
}

function parseDifference(diff: string): Difference {
  const tree = diff.replace(/^\n+|\s+$/g, '')
  const side = (sign: string) =>
    tree
      .split('\n')
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1).trim())
      .join('\n')
  return { server: side('-'), browser: side('+'), tree }
}

interface BrowserFaultsDeps {
  mapStack: MapStack
  add: (reading: Promise<Fault>) => Promise<void>
}

/** React's messages when it renders a failure of the server again; the server itself reports the cause. */
const REPORTED_BY_SERVER =
  /^(Switched to client rendering because the server rendering errored|The server could not finish)/
/** Browsers report this when a resize takes longer than a frame; an author can do nothing about it. */
const HARMLESS = /^ResizeObserver loop/

/** Listens to the page from now on; returns the options of `hydrateRoot` that report React's errors. */
export function watchBrowserFaults({ mapStack, add }: BrowserFaultsDeps): HydrationOptions {
  const report = (fault: Pick<Fault, 'source' | 'message' | 'difference'>, stack: string) =>
    add(mapStack(stack).then((mapped) => ({ ...fault, stack: mapped.stack, ...mapped.place })))
  const reportError = (error: unknown) => {
    // A redirect, a not-found and an aborted fetch are intended.
    if (controlFlowOf(error) || (error instanceof DOMException && error.name === 'AbortError')) return
    if (isOfServer(error)) return
    const message = messageOf(error)
    if (HARMLESS.test(message)) return
    void report({ source: 'browser', message }, error instanceof Error ? (error.stack ?? '') : '')
  }

  if ('stackTraceLimit' in Error) Error.stackTraceLimit = READ_STACK_FRAMES
  addEventListener('error', (event) => {
    // Without an error the event reports a file that failed to load, or a script of another origin.
    if (event.error !== null && event.error !== undefined) reportError(event.error)
  })
  addEventListener('unhandledrejection', (event) => reportError(event.reason))
  listenToConsole((details) => {
    const difference = differenceOfConsole(details)
    if (!difference) return
    // React is at the element that differs: its owner is known only during this call.
    const names = attributesOf(difference)
    const message = `The server sent other attributes than the browser renders${names.length > 0 ? `: ${names.join(', ')}` : ''}.`
    void report({ source: 'hydration', message, difference }, captureOwnerStack() ?? '')
  })

  return {
    onRecoverableError(error) {
      const message = messageOf(error)
      const difference = differenceOfError(message)
      if (difference) {
        console.error(error)
        const short = 'The server sent other content than the browser renders.'
        return void report({ source: 'hydration', message: short, difference }, captureOwnerStack() ?? '')
      }
      if (REPORTED_BY_SERVER.test(message)) return console.warn(error)
      console.error(error)
      reportError(causeOf(error))
    },
    onCaughtError(error, { componentStack }) {
      if (controlFlowOf(error)) return
      console.error(error, `\nThe error was caught by a boundary (React ${version}).${componentStack ?? ''}`)
      reportError(error)
    },
  }
}

function listenToConsole(listen: (details: readonly unknown[]) => void): void {
  const { error } = console
  console.error = (...details: unknown[]) => {
    error.apply(console, details)
    listen(details)
  }
}

/** The consequence of an error on the server, which reports the cause at the author's line: in an action, a deferred prop. */
function isOfServer(error: unknown): boolean {
  return error instanceof Error && 'digest' in error && typeof error.digest === 'string'
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return `Thrown: ${String(error)}`
  // The policy alone makes browsers throw an EvalError (CSP3 section 4.5).
  if (error.name === 'EvalError') return `${error.name}: ${error.message}\n${evalRemedy()}`
  return error.name === 'Error' ? error.message : `${error.name}: ${error.message}`
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error
}
