// Identifiers that join a visitor's screen, an answer and a log line.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { HEADERS } from '../wire/constants.ts'

const POOL_BYTES = 4096
let pool = ''
let at = 0

/** Random hex digits, from a pool: asking the system for each id would cost more than all else about it. */
export function randomHex(digits: number): string {
  if (at + digits > pool.length) {
    pool = randomBytes(POOL_BYTES).toString('hex')
    at = 0
  }
  at += digits
  return pool.slice(at - digits, at)
}

/** A fresh request id: 16 hex digits. */
export function createRequestId(): string {
  return randomHex(16)
}

/** A fresh digest: 10 random hex digits that one error screen and one log line share. */
export function createDigest(): string {
  return randomHex(10)
}

/** The id that the gateway gave a request; a fresh one when it came without (direct calls in tests). */
export function requestIdOf(request: IncomingMessage): string {
  const value = request.headers[HEADERS.requestId]
  return typeof value === 'string' && /^[A-Za-z0-9_-]{8,64}$/.test(value) ? value : createRequestId()
}
