// The writer of a postcard: the client whose cookie has the token, which the first postcard sets.

import { createHash, randomBytes } from 'node:crypto'

/** Cookie of the token; only actions and API handlers read it. */
export const AUTHOR_COOKIE = 'atlas-author'
/** Browsers keep no cookie longer than 400 days. */
export const AUTHOR_MAX_AGE_SECONDS = 400 * 24 * 60 * 60

/** A token that cannot be guessed. */
export function createAuthorToken(): string {
  return randomBytes(24).toString('base64url')
}

/**
 * The hash that is stored with a card; undefined without a valid token. SECURITY: a hash, so that a reader of the
 * database cannot take cards down.
 */
export function authorOf(token: string | undefined): string | undefined {
  if (token === undefined || !/^[\w-]{32}$/.test(token)) return undefined
  return createHash('sha256').update(token).digest('base64url')
}
