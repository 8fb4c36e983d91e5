// Which requests a page takes: GET and HEAD; in compatibility mode a page with getServerSideProps takes every method and
// reads the body itself, any other page takes forms; with `unknownMethods` the screen for unknown addresses takes everything (E6, X7); but no
// request of another site that may change data (A4).

import type { IncomingMessage } from 'node:http'
import type { ErrorContent } from '@portico/shared/kit/http/errors.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
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
  { publicOrigins, manifest }: { publicOrigins: readonly string[]; manifest: Pick<Manifest, 'semantics'> },
): ErrorContent | undefined {
  if (isReading(method)) return undefined
  if (!takesBody(resolution, { method, headers }, manifest.semantics)) return NOT_TAKEN
  if (method === 'OPTIONS' || resolution.kind !== 'page' || resolution.entry.crossOrigin) return undefined
  const verdict = verdictOf(headers, publicOrigins)
  return verdict.kind === 'refuse' ? { code: 'forbidden', message: `Refused: ${verdict.reason}.` } : undefined
}
