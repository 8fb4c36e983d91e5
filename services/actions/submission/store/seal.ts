// Encrypts stored responses: responses contain cookies, which a copy of the store must not reveal.

import { createDerived, type Keyring } from '@portico/shared/kit/secrets/keyring.ts'
import { deriveKeys, seal, unseal } from '@portico/shared/kit/secrets/seal.ts'

export type Seal = ReturnType<typeof createSeal>

const PURPOSE = 'portico submission response'

/**
 * Seals with the current secret and opens with all accepted ones: older responses are readable after a rotation.
 */
export function createSeal(keyring: Keyring) {
  const keys = createDerived(keyring, (secrets) => deriveKeys(secrets, PURPOSE))
  return {
    /**
     * Encrypts the text for the record of this id. SECURITY: a response that was moved to another client's record is not
     * readable. A keyring is never empty.
     */
    close: (id: string, text: string): Uint8Array => seal(keys()[0]!, id, text),
    /** The text; undefined unless the text was sealed for this id: the response counts as dropped, and the row remains. */
    open: (id: string, sealed: Uint8Array): string | undefined => unseal(keys(), id, sealed)?.text,
  }
}
