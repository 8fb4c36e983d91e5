// Encrypts texts with keys that are derived from secrets: cookies, and responses in the store.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const KEY_BYTES = 32
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The keys of a purpose, one for each secret: what is sealed with one of them opens for no other purpose. */
export function deriveKeys(secrets: readonly string[], purpose: string): Uint8Array[] {
  return secrets.map((secret) => new Uint8Array(hkdfSync('sha256', secret, '', purpose, KEY_BYTES)))
}

/** Nonce, ciphertext and tag. SECURITY: bound to the scope, so that the value opens in no other one. */
export function seal(key: Uint8Array, scope: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce)
  cipher.setAAD(Buffer.from(scope))
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** The text, and the place of the key that opens it; undefined unless it was sealed in this scope with one of the keys. */
export function unseal(
  keys: readonly Uint8Array[],
  scope: string,
  sealed: Uint8Array,
): { text: string; keyIndex: number } | undefined {
  // SECURITY: with less than a whole tag GCM would accept a guess of a few bytes.
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
  for (const [keyIndex, key] of keys.entries()) {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES))
    decipher.setAAD(Buffer.from(scope))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    try {
      const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
      return { text: text.toString('utf8'), keyIndex }
    } catch {
      // Another key or scope, or altered bytes: the next key is tried.
    }
  }
  return undefined
}
