// Encrypts the responses that are kept for repeats: they hold cookies, and a copy of the store must not give them away.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export interface Seal {
  /** Encrypts the text for the record of that id. */
  close(id: string, text: string): Uint8Array
  /** The text; undefined when it was not sealed for that id with one of the keys. */
  open(id: string, sealed: Uint8Array): string | undefined
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const PURPOSE = 'portico submission response'

/** The first secret seals, all of them open: after a rotation of ACTION_KEYS older responses can be read. */
export function createSeal(secrets: readonly string[]): Seal {
  const keys = secrets.map((secret) => new Uint8Array(hkdfSync('sha256', secret, '', PURPOSE, 32)))
  const [first] = keys
  if (!first) throw new Error('a seal needs at least one key')
  return {
    close(id, text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, first, nonce)
      // SECURITY: bound to the record, so that a response moved to another client's record is not readable there.
      cipher.setAAD(Buffer.from(id))
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    open(id, sealed) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined
      for (const key of keys) {
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
    // Another key, another record, or altered bytes: the response is as good as gone, and the record says what is left.
    return undefined
  }
}
