// Encrypts stored responses: responses contain cookies, which a copy of the store must not reveal.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { createDerived, type Keyring } from '@portico/shared/kit/secrets/keyring.ts'

export type Seal = ReturnType<typeof createSeal>

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const PURPOSE = 'portico submission response'

/**
 * Seals with the current secret and opens with all accepted ones: older responses are readable after a rotation.
 */
export function createSeal(keyring: Keyring) {
  const keys = createDerived(keyring, (secrets) =>
    secrets.map((secret) => new Uint8Array(hkdfSync('sha256', secret, '', PURPOSE, 32))),
  )
  return {
    /** Encrypts the text for the record of this id. */
    close(id: string, text: string): Uint8Array {
      const nonce = randomBytes(NONCE_BYTES)
      // A keyring is never empty.
      const cipher = createCipheriv(CIPHER, keys()[0]!, nonce)
      // SECURITY: bound to the record, so that a response that was moved to another client's record is not readable.
      cipher.setAAD(Buffer.from(id))
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    /** The text; undefined unless the text was sealed for this id with one of the keys. */
    open(id: string, sealed: Uint8Array): string | undefined {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
      for (const key of keys()) {
        const text = decrypt(key, id, sealed)
        if (text !== undefined) return text
      }
      return undefined
    },
  }
}

function decrypt(key: Uint8Array, id: string, sealed: Uint8Array): string | undefined {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(id))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    // Another key, another record, or altered bytes: the response counts as dropped, and the row remains.
    return undefined
  }
}
