// Chooses the encoding of a response: the one that the client prefers, the smallest of several equally preferred ones.

import Negotiator from 'negotiator'

import { ENCODINGS, type Encoding } from '../wire/encodings.ts'

/** The types of negotiator 0.6 lack the options of version 1.1. */
interface EncodingNegotiator {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[]
}

const choices = new Map<string, Encoding | undefined>()
/**
 * Browsers send few different headers. SECURITY: a client chooses the header; the memory for choices must be bounded.
 */
const MAX_CHOICES = 500

/** Chooses an encoding for an Accept-Encoding header; undefined means identity. */
export function chooseEncoding(
  header: string | undefined,
  available: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  if (header === undefined || header === '' || available.length === 0) return undefined
  const key = `${available.join()} ${header}`
  if (choices.has(key)) return choices.get(key)
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } }) as unknown as EncodingNegotiator
  const best = negotiator.encodings([...available, 'identity'], { preferred: ENCODINGS })[0]
  const encoding = available.find((candidate) => candidate === best)
  if (choices.size < MAX_CHOICES) choices.set(key, encoding)
  return encoding
}
