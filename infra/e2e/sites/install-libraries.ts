// The site with libraries of other authors: its packages are its own, installed from its own lock file.

import { join } from 'node:path'
import { root } from '../../checks/sources.ts'
import { copyApp, makeFolder, run } from '../harness/processes.ts'

/** Files of the repository. */
export const LIBRARIES = join(root, 'infra/e2e/sites/libraries')

/** A copy of the site outside of the repository, with its packages. */
export async function installLibraries(): Promise<{ path: string; remove: () => Promise<void> }> {
  const folder = await makeFolder('libraries')
  await copyApp(LIBRARIES, folder.path)
  const { code, output } = await run('npm', ['ci', '--prefer-offline', '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: folder.path,
  })
  if (code !== 0) throw new Error(`npm ci failed for the site with libraries\n${output}`)
  return folder
}
