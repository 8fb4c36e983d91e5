// The error of a request to the site's own services that were away: refused, late or overloaded. A page that ends with it
// is 503 and not 500. A symbol marks the error, as in control-flow.ts: each bundle contains its own copy of this file (W7).

const BRAND = Symbol.for('portico.unavailable')
/** Authors compare it: `error.name === 'TimeoutError'`. */
const LATE = 'TimeoutError'
/** Longest chain of causes that is read: authors wrap errors, and a chain may lead to itself. */
const MOST_CAUSES = 8

/** The error that is thrown for a request to a service of the site. That of a late one has the name of every late fetch. */
export function unavailable(message: string, cause?: unknown): Error {
  const error = Object.defineProperty(new Error(message, { cause }), BRAND, { value: true })
  return cause instanceof Error && cause.name === LATE ? Object.defineProperty(error, 'name', { value: LATE }) : error
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
