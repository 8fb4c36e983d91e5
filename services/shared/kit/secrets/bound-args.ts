// Signs and verifies the bound arguments of forms that work without JavaScript (W3). The renderer signs the arguments
// in hidden fields, the actions service verifies them. Format: base64url(json).base64url(hmac).

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring } from './keyring.ts'

export interface BoundArgs {
  /** Signs the arguments for one action. Throws a TypeError when they are not JSON. */
  sign(actionId: string, args: readonly unknown[]): string
  /** The arguments; undefined for a text that no key of the ring signed for this action. */
  verify(actionId: string, signed: string): unknown[] | undefined
}

/** A signer over a ring of keys: the current key signs, all verify, so that keys can be changed without interruption. */
export function createBoundArgs(keys: Keyring): BoundArgs {
  return {
    sign(actionId, args) {
      const json = JSON.stringify(args)
      return `${Buffer.from(json).toString('base64url')}.${hmac(keys.current(), actionId, json).toString('base64url')}`
    },
    verify(actionId, signed) {
      const dot = signed.indexOf('.')
      if (dot < 1) return undefined
      const json = Buffer.from(signed.slice(0, dot), 'base64url').toString('utf8')
      const given = Buffer.from(signed.slice(dot + 1), 'base64url')
      if (!keys.accepted().some((key) => isEqual(given, hmac(key, actionId, json)))) {
        keys.noteUnknown('form')
        return undefined
      }
      const args: unknown = JSON.parse(json)
      return Array.isArray(args) ? args : undefined
    },
  }
}

// SECURITY: the action's id is part of what is signed, so that arguments of one action cannot be given to another.
function hmac(key: string, actionId: string, json: string): Buffer {
  return createHmac('sha256', key).update(`${actionId}.${json}`).digest()
}

/** SECURITY: compared in constant time, so that a signature cannot be guessed byte by byte. */
function isEqual(given: Buffer, wanted: Buffer): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
