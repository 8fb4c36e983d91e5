// The default folder of a site's data: inside the app folder, so that no two sites share records, keys and caches (O1).

import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DATA_FOLDER } from '@portico/shared/wire/constants.ts'
import type { StackConfig } from '../config.ts'

/**
 * Hides the existing default folder from git and other users of the machine; a folder that DATA_DIR names is left as it
 * is.
 */
export async function prepareDataFolder({ appDir, dataDir }: Pick<StackConfig, 'appDir' | 'dataDir'>): Promise<void> {
  if (dataDir !== join(appDir, DATA_FOLDER)) return
  // SECURITY: the folder contains keys; another user of the machine must not read them.
  await chmod(dataDir, 0o700).catch((error: NodeJS.ErrnoException) => {
    // The folder of another user, or of a file system without modes; the actions service reports the folder.
    if (error.code !== 'EPERM') throw error
  })
  // Not overwritten: the author may have changed it. Tailwind and editors obey this file, too.
  await writeFile(join(dataDir, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
