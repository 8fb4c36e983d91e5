// The locale that a client prefers, for the root of the site (X14): its cookie, then its languages. RFC 9110 section 12.5.4.

import { findLocale, type Locales } from './locales.ts'

/** The cookie of the client's choice; that of Next.js, in every mode. */
export const LOCALE_COOKIE = 'NEXT_LOCALE'

/** SECURITY: a longer header is not read further: the work for one request is bounded. */
const HEADER_LIMIT = 1024

/** The locale to which the client is led; `cookie` is the value of LOCALE_COOKIE. */
export function preferredLocale(
  i18n: Locales,
  { cookie, acceptLanguage }: { cookie: string | undefined; acceptLanguage: string | undefined },
): string {
  const chosen = cookie === undefined ? undefined : findLocale(i18n.locales, cookie)
  return chosen ?? acceptedLocale(i18n.locales, acceptLanguage ?? '') ?? i18n.defaultLocale
}

/**
 * The locale of the first language range that has one, by weight. A range means a locale of that name, or the first locale
 * that begins with it: `fr` means `fr-CA`; `fr-CA` does not mean `fr`, as in Next.js. Undefined for a malformed header.
 */
export function acceptedLocale(locales: readonly string[], header: string): string | undefined {
  const known = localesByRange(locales)
  const ranges = parseRanges(header)
  if (!ranges) return undefined
  const positions = [...known.keys()]
  const position = (name: string) => (known.has(name) ? positions.indexOf(name) : Number.POSITIVE_INFINITY)
  const accepted = ranges
    .filter(({ weight }) => weight > 0)
    // Ranges of equal weight in the order of the locales, others in the order of the header.
    .sort((one, other) => other.weight - one.weight || compare(position(one.name), position(other.name)))
  const named = new Set(ranges.map(({ name }) => name))
  for (const { name } of accepted) {
    const range = name === '*' ? positions.find((each) => !named.has(each)) : name
    const locale = range === undefined ? undefined : known.get(range)
    if (locale !== undefined) return locale
  }
  return undefined
}

/** By name in lower case: every locale, and the beginnings of its name that no locale before it has. */
function localesByRange(locales: readonly string[]): Map<string, string> {
  const known = new Map<string, string>()
  for (const locale of locales) {
    const parts = locale.toLowerCase().split('-')
    known.set(parts.join('-'), locale)
    while (parts.pop() && parts.length > 0) if (!known.has(parts.join('-'))) known.set(parts.join('-'), locale)
  }
  return known
}

interface Range {
  name: string
  weight: number
}

/** Undefined for a header with a part that is no language range. */
function parseRanges(header: string): Range[] | undefined {
  const ranges: Range[] = []
  const parts = header.slice(0, HEADER_LIMIT).replace(/[ \t]/g, '').split(',')
  // The last part may be cut off.
  if (header.length > HEADER_LIMIT) parts.pop()
  for (const part of parts) {
    if (part === '') continue
    const [name = '', weight, ...more] = part.split(';')
    const value = weight === undefined ? '1' : /^q=(.+)$/i.exec(weight)?.[1]
    if (name === '' || value === undefined || more.length > 0) return undefined
    ranges.push({ name: name.toLowerCase(), weight: weightOf(Number.parseFloat(value)) })
  }
  return ranges
}

/** A weight that is none counts as 1, as in Next.js. */
function weightOf(value: number): number {
  return value === 0 || (value >= 0.001 && value <= 1) ? value : 1
}

function compare(one: number, other: number): number {
  return one === other ? 0 : one - other
}
