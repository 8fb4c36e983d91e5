// The token with which a command reaches inner ports: the setting, or what the stack made itself.

import { loadSecretFile } from '@portico/shared/kit/secrets/open-secrets.ts'
import type { CommandConfig } from '../config.ts'

/** Makes no token: one that no service knows would reach nothing. */
export async function readCommandToken({
  stackToken,
  store,
}: CommandConfig): Promise<{ token: string } | { fault: string }> {
  try {
    return { token: stackToken ?? (await readStored(store)) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { fault: `STACK_TOKEN is not set: must be the token of the stack, or be in its state store: ${reason}` }
  }
}

async function readStored({ stateRedisUrl, dataDir }: CommandConfig['store']): Promise<string> {
  if (!stateRedisUrl) return loadSecretFile('stack-token', dataDir, { mustExist: true })
  const { readSecret } = await import('@portico/shared/kit/secrets/operate-secrets.ts')
  return readSecret('stack-token', stateRedisUrl)
}
