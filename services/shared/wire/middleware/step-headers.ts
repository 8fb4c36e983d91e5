// The headers with which a response of middleware says what follows (X15), as libraries for Next.js write and read them.
// The runtime writes the headers, and the renderer reads them.

import { MIDDLEWARE_HEADER_PREFIX } from '../constants.ts'

/** The request continues. */
export const NEXT_HEADER = `${MIDDLEWARE_HEADER_PREFIX}next`
/** The address that is served instead. */
export const REWRITE_HEADER = `${MIDDLEWARE_HEADER_PREFIX}rewrite`
/** The names of all request headers that remain … */
export const NAMES_HEADER = `${MIDDLEWARE_HEADER_PREFIX}override-headers`
/** … and the prefix of their values. */
export const VALUE_PREFIX = `${MIDDLEWARE_HEADER_PREFIX}request-`

/** Writes the headers that the request has from now on. */
export function writeRequestHeaders(target: Headers, request: Headers): void {
  const names = [...request.keys()]
  for (const name of names) target.set(VALUE_PREFIX + name, request.get(name) ?? '')
  target.set(NAMES_HEADER, names.join(','))
}
