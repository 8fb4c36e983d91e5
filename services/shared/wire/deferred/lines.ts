// Deferred data on the wire (W2): a promise in props is `{"$deferred":n}`, and a line of JSON follows when it settles.

import type { ControlFlow } from '../errors/control-flow.ts'

/** The member in the place of a promise. Author data with this member is escaped: `{"$deferred":[data]}`. */
export const DEFERRED_MEMBER = '$deferred'

/** Attribute of the script elements that carry lines in a document. */
export const DEFERRED_ATTRIBUTE = 'data-portico-deferred'

/** The digest of the log line of an error (E4), or the control flow that the promise was rejected with (D3). */
export type DeferredFailure = { digest: string } | ControlFlow

/** `value` is absent for undefined. */
export interface DeferredLine {
  n: number
  value?: unknown
  error?: DeferredFailure
}

/** The text of a line; `json` is the encoded value, undefined for the value undefined. */
export function formatValueLine(n: number, json: string | undefined): string {
  return json === undefined ? `{"n":${n}}` : `{"n":${n},"value":${json}}`
}

export function formatFailureLine(n: number, error: DeferredFailure): string {
  return JSON.stringify({ n, error } satisfies DeferredLine)
}
