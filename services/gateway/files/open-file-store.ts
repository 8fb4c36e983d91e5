// Opens the store of published files: in the state Redis, or on the disk of one machine.

import type { Log } from '@portico/shared/kit/observe/log.ts'
import type { GatewayConfig } from '../config.ts'
import { createDiskFileStore } from './file-store-disk.ts'
import type { FileStore } from './old-builds.ts'

/** Loads the client of Redis only if needed. */
export async function openFileStore(
  { stateRedisUrl, dataDir }: Pick<GatewayConfig, 'stateRedisUrl' | 'dataDir'>,
  log: Log,
): Promise<FileStore> {
  if (!stateRedisUrl) return createDiskFileStore(dataDir)
  const { createRedisFileStore } = await import('./file-store-redis.ts')
  return createRedisFileStore(stateRedisUrl, log)
}
