// Sites with libraries of other authors: the packages of each are its own, installed from its own lock file.

import { createHash } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reasonToInstall } from '@portico/stack/install-if-needed.mjs'
import { root } from '../../checks/sources.ts'
import { copyApp, run } from '../../e2e/harness/processes.ts'

export type SiteName = 'accounts' | 'auth-js' | 'libraries'

/**
 * Copies the site to a folder outside of the repository and installs its packages there. The folder keeps the packages
 * for the next run, and nothing else.
 */
export async function installSite(site: SiteName): Promise<string> {
  const folder = join(tmpdir(), `portico-${site}-${createHash('sha256').update(root).digest('hex').slice(0, 10)}`)
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder))
    if (name !== 'node_modules') await rm(join(folder, name), { recursive: true })
  await copyApp(join(root, 'infra/conformance/own-sites', site), folder)
  if (!reasonToInstall(folder)) return folder
  const args = ['ci', '--prefer-offline', '--no-fund', '--no-audit', '--loglevel=error']
  const { code, output } = await run('npm', args, { cwd: folder })
  if (code !== 0) throw new Error(`npm ci failed for the site "${site}"\n${output}`)
  return folder
}
