// The error of a request to the site's own services that were away: refused, late or overloaded. A page that ends with it
// is 503 and not 500. A symbol marks the error, as in control-flow.ts: each bundle contains its own copy of this file (W7).

const BRAND = Symbol.for('portico.unavailable')
/** Longest chain of causes that is read: authors wrap errors, and a chain may lead to itself. */
const MOST_CAUSES = 8

/** The error that is thrown for a request to a service of the site. */
export function unavailable(message: string, cause?: unknown): Error {
  return Object.defineProperty(new Error(message, { cause }), BRAND, { value: true })
}

/** Whether an error, or what caused it, is that of a service of the site. */
export function isUnavailable(thrown: unknown): boolean {
  let error = thrown
  for (let depth = 0; depth < MOST_CAUSES && typeof error === 'object' && error !== null; depth++) {
    if ((error as { [BRAND]?: true })[BRAND]) return true
    error = (error as { cause?: unknown }).cause
  }
  return false
}
