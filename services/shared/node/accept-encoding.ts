// Which encoding a visitor gets: the best liked one, the smallest where several are liked equally.

import Negotiator from 'negotiator'

export type Encoding = 'br' | 'zstd' | 'gzip'

/** Smallest first. */
export const ENCODINGS: readonly Encoding[] = ['br', 'zstd', 'gzip']

/** The types of negotiator 0.6 do not know the options of 1.1. */
interface EncodingNegotiator {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[]
}

const answers = new Map<string, Encoding | undefined>()
/** Browsers send few different headers. SECURITY: a visitor decides the header; the memory must not grow with it. */
const KEPT_ANSWERS = 500

/** The encoding for an Accept-Encoding header out of those at hand; undefined means identity. */
export function chooseEncoding(
  header: string | undefined,
  atHand: readonly Encoding[] = ENCODINGS,
): Encoding | undefined {
  if (header === undefined || header === '' || atHand.length === 0) return undefined
  const key = `${atHand.join()} ${header}`
  if (answers.has(key)) return answers.get(key)
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } }) as unknown as EncodingNegotiator
  const best = negotiator.encodings([...atHand, 'identity'], { preferred: ENCODINGS })[0]
  const encoding = atHand.find((candidate) => candidate === best)
  if (answers.size < KEPT_ANSWERS) answers.set(key, encoding)
  return encoding
}
