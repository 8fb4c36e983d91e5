// The one decoder of deferred data (W2); encode.ts is the one encoder. Pages with deferred data wait for this code: keep
// it small.

import { controlFlowError } from '../errors/control-flow.ts'
import { DEFERRED_MEMBER } from './lines.ts'

export interface DeferredReader {
  /** The value with promises in the places of placeholders. */
  read(value: unknown): unknown
  /** Settles the promise that a parsed line names. */
  settle(line: unknown): void
  /** No more lines follow: each promise that is still open fails. */
  end(): void
}

interface OpenPromise {
  promise: Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

export function createDeferredReader(): DeferredReader {
  const all = new Map<unknown, OpenPromise>()
  let isEnded = false

  const at = (n: unknown): OpenPromise => {
    let open = all.get(n)
    if (!open) {
      open = Promise.withResolvers<unknown>()
      // A part that is not rendered handles no rejection.
      open.promise.catch(() => {})
      all.set(n, open)
      if (isEnded) open.reject(failure())
    }
    return open
  }

  const read = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(read)
    if (DEFERRED_MEMBER in value) return at(value[DEFERRED_MEMBER]).promise
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [authorName(name), read(member)]))
  }

  return {
    read,
    settle(line) {
      const { n, value, error } = Object(line) as { n?: unknown; value?: unknown; error?: unknown }
      if (error) at(n).reject(failure(error))
      else at(n).resolve(read(value))
    },
    end() {
      isEnded = true
      for (const { reject } of all.values()) reject(failure())
    },
  }
}

function authorName(name: string): string {
  return name.replace(/^\$(?=\$+deferred$)/, '')
}

/** What a page's boundary catches: control flow, or an error with the digest of the server's log line (E4). */
function failure(error?: unknown): Error {
  const { kind, location, digest } = Object(error) as { kind?: unknown; location?: unknown; digest?: unknown }
  if (kind === 'not-found') return controlFlowError({ kind })
  if (kind === 'redirect') return controlFlowError({ kind, location: String(location), status: 307 })
  return Object.assign(new Error('Deferred data failed'), { digest })
}
