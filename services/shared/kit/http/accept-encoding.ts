// Chooses the encoding of a response: the one that the client prefers, the smallest of several equally preferred ones.

import Negotiator from 'negotiator'
import { ENCODINGS, type Encoding } from '../../wire/encodings.ts'

/** Chooses an encoding for an Accept-Encoding header; undefined means identity. `preferred`: all encodings, best first. */
export function chooseEncoding(
  header: string | undefined,
  available: readonly Encoding[] = ENCODINGS,
  preferred: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  if (header === undefined || header === '' || available.length === 0) return undefined
  // SECURITY: a header of thousands of encodings costs a bounded time.
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header.slice(0, 1000) } })
  const [best] = negotiator.encodings([...available, 'identity'], { preferred })
  return available.find((candidate) => candidate === best)
}

/** Values of Accept-Encoding whose encoding is remembered: browsers send few. */
const MOST_REMEMBERED = 64
const LONGEST_REMEMBERED = 64

/** As `chooseEncoding` among all encodings, and remembers: a negotiation costs more than a response from memory. */
export function createEncodingChooser(preferred: readonly Encoding[]) {
  const known = new Map<string, Encoding | undefined>()
  return (header: string | string[] | undefined): Encoding | undefined => {
    const text = header?.toString()
    if (text === undefined) return undefined
    if (known.has(text)) return known.get(text)
    const encoding = chooseEncoding(text, ENCODINGS, preferred)
    // SECURITY: clients choose the header; later values are negotiated each time.
    if (known.size < MOST_REMEMBERED && text.length <= LONGEST_REMEMBERED) known.set(text, encoding)
    return encoding
  }
}
