// The one decoder of deferred data (W2); encode.ts is the one encoder. Pages with deferred data wait for this code: keep
// it small. What it reads was written by the encoder; callers treat anything that throws as a broken connection.

import type { ControlFlow } from '../errors/control-flow.ts'
import { DEFERRED_MEMBER, type DeferredLine } from './lines.ts'

export interface DeferredReader {
  /** Puts promises in the places of placeholders. May change the value, which the caller has parsed. */
  read(value: unknown): unknown
  /** Settles the promise that the line names. */
  settle(line: DeferredLine): void
  /** No more lines follow: each promise that is still open fails. */
  end(): void
}

/** The brand of control-flow.ts, whose code is in another file of the browser: an import would cost more than the name. */
const BRAND = Symbol.for('portico.control-flow')

interface OpenPromise {
  promise: Promise<unknown>
  settlers: [resolve: (value: unknown) => void, reject: (error: Error) => void]
}

export function createDeferredReader(): DeferredReader {
  /** By number. */
  const opened: OpenPromise[] = []

  const open = (): OpenPromise => {
    // Not withResolvers, which older browsers lack.
    const made = {} as OpenPromise
    made.promise = new Promise((...settlers) => {
      made.settlers = settlers
    })
    // A part that is not rendered handles no rejection.
    made.promise.catch(() => {})
    return made
  }

  const at = (n: number) => {
    opened[n] ??= open()
    return opened[n]
  }

  const read = (value: unknown): unknown => {
    if (Object(value) !== value) return value
    const mark = (value as Record<string, unknown>)[DEFERRED_MEMBER]
    if (typeof mark === 'number') return at(mark).promise
    // The encoder has put author data with this member into a list. JSON has made the members, lists and objects alike.
    const members = (mark ? (mark as unknown[])[0] : value) as Record<string, unknown>
    for (const name in members) members[name] = read(members[name])
    return members
  }

  return {
    read,
    settle({ n, value, error }) {
      const [resolve, reject] = at(n).settlers
      if (error) reject(failure(error as Partial<ControlFlow>))
      else resolve(read(value))
    },
    end() {
      for (const n in opened) opened[n]!.settlers[1](failure({}))
    },
  }
}

/** What a page's boundary catches: control flow, or an error with the digest of the server's log line (E4). */
function failure(error: Partial<ControlFlow>): Error {
  return Object.assign(new Error('Deferred data failed'), error, { [BRAND]: error.kind && error })
}
