// The content security policy of documents (G6). Cached pages contain no executable inline script; streamed pages name
// the nonce of their scripts.

import { randomBytes } from 'node:crypto'

const REST =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob: https:; font-src 'self' data:; media-src 'self' https:; connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"

export function contentSecurityPolicy(nonce?: string): string {
  return `${REST}; script-src 'self'${nonce ? ` 'nonce-${nonce}'` : ''}`
}

/** 128 random bits, one nonce for each streamed response. */
export function createNonce(): string {
  return randomBytes(16).toString('base64')
}
