// Which requests a page takes: GET and HEAD; in compatibility mode a page with getServerSideProps takes every method and
// reads the body itself, and any other page takes forms (E6, X7); but no request of another site that may change data (A4).

import type { IncomingMessage } from 'node:http'
import type { ErrorContent } from '@portico/shared/kit/http/errors.ts'
import { verdictOf } from '@portico/shared/wire/policy/origin-check.ts'
import { takesBody } from '@portico/shared/wire/routing/page-methods.ts'
import type { Resolution } from '@portico/shared/wire/routing/resolve-page.ts'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** Whether the response to the method may be that of another client: no cache keeps what was made for a body. */
export function isReading(method: string): boolean {
  return READING.has(method)
}

export const NOT_TAKEN: ErrorContent = { code: 'method-not-allowed', headers: { allow: 'GET, HEAD' } }

/** Why a page does not take the request; undefined for a request that it takes. */
export function refusalOf(
  { method = 'GET', headers }: IncomingMessage,
  resolution: Resolution,
  publicOrigins: readonly string[],
): ErrorContent | undefined {
  if (isReading(method)) return undefined
  if (resolution.kind !== 'page' || !takesBody(resolution.entry, { method, headers })) return NOT_TAKEN
  if (method === 'OPTIONS' || resolution.entry.crossOrigin) return undefined
  const verdict = verdictOf(headers, publicOrigins)
  return verdict.kind === 'refuse' ? { code: 'forbidden', message: `Refused: ${verdict.reason}.` } : undefined
}
