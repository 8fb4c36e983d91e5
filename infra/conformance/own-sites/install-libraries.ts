// The site with libraries of other authors: its packages are its own, installed from its own lock file.

import { createHash } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reasonToInstall } from '../../../services/stack/start/install-if-needed.mjs'
import { root } from '../../checks/sources.ts'
import { copyApp, run } from '../../e2e/harness/processes.ts'

const SITE = join(root, 'infra/conformance/own-sites/libraries')

/**
 * Copies the site to a folder outside of the repository and installs its packages there. The folder keeps the packages
 * for the next run, and nothing else.
 */
export async function installLibraries(): Promise<string> {
  const folder = join(tmpdir(), `portico-libraries-${createHash('sha256').update(root).digest('hex').slice(0, 10)}`)
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder))
    if (name !== 'node_modules') await rm(join(folder, name), { recursive: true })
  await copyApp(SITE, folder)
  if (!reasonToInstall(folder)) return folder
  const args = ['ci', '--prefer-offline', '--no-fund', '--no-audit', '--loglevel=error']
  const { code, output } = await run('npm', args, { cwd: folder })
  if (code !== 0) throw new Error(`npm ci failed for the site with libraries\n${output}`)
  return folder
}
