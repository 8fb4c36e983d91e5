// Chooses the encoding of a response: the one that the client prefers, the smallest of several equally preferred ones.

import Negotiator from 'negotiator'
import { ENCODINGS, type Encoding } from '../../wire/encodings.ts'

/** Chooses an encoding for an Accept-Encoding header; undefined means identity. */
export function chooseEncoding(
  header: string | undefined,
  available: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  if (header === undefined || header === '' || available.length === 0) return undefined
  // SECURITY: a header of thousands of encodings costs a bounded time.
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header.slice(0, 1000) } })
  const [best] = negotiator.encodings([...available, 'identity'], { preferred: ENCODINGS })
  return available.find((candidate) => candidate === best)
}
