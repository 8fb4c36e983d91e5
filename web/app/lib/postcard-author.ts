// Who wrote a postcard: whoever holds the token that was put into a cookie at the first one.

import { createHash, randomBytes } from 'node:crypto'

/** Cookie of the token; only actions and API handlers read it. */
export const AUTHOR_COOKIE = 'atlas-author'
/** Browsers keep no cookie longer than 400 days. */
export const AUTHOR_MAX_AGE_SECONDS = 400 * 24 * 60 * 60

/** A token that nobody guesses. */
export function createAuthorToken(): string {
  return randomBytes(24).toString('base64url')
}

/**
 * What is stored with a card; undefined without a token of ours. SECURITY: a hash, so that whoever reads the database
 * can take down nothing.
 */
export function authorOf(token: string | undefined): string | undefined {
  if (token === undefined || !/^[\w-]{32}$/.test(token)) return undefined
  return createHash('sha256').update(token).digest('base64url')
}
