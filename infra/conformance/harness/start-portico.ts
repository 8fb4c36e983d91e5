// The fixture on Portico, in a folder outside of the repository that keeps its build for the next project and run.

import { existsSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../../checks/sources.ts'
import { startEmbedded } from '../../e2e/harness/embedded-stack.ts'
import { PORTICO } from '../../e2e/harness/framework.ts'
import { run } from '../../e2e/harness/processes.ts'
import type { BuildResult, StartedSite } from './behaviour.ts'
import { type ConfigurationName, FOLDER, writeConfiguration, writeFiles } from './configurations.ts'

export async function startPortico(configuration: ConfigurationName): Promise<StartedSite> {
  const folder = join(tmpdir(), FOLDER, configuration)
  await linkPackages()
  await writeConfiguration(configuration, folder)
  const { baseUrl, lines, stop } = await startEmbedded({
    appDir: folder,
    env: { REWRITE_INNER_HOSTS: '127.0.0.1' },
  })
  return {
    origin: new URL(baseUrl).origin,
    log: () => lines.map((line) => JSON.stringify(line)),
    stop: async () => void (await stop()),
  }
}

/** Builds the files of a behaviour. */
export async function buildPortico(name: string, files: ReadonlyMap<string, Buffer>): Promise<BuildResult> {
  const folder = join(tmpdir(), FOLDER, name)
  await linkPackages()
  await writeFiles(files, folder)
  const { PATH, HOME, TMPDIR, LANG } = process.env
  const env = { PATH, HOME, LANG, APP_DIR: folder, ...(TMPDIR !== undefined && { TMPDIR }) }
  return run(process.execPath, [PORTICO, 'build'], { cwd: root, env })
}

/** Gives all sites the packages of `infra/conformance` that sites install themselves. */
async function linkPackages(): Promise<void> {
  const link = join(tmpdir(), FOLDER, 'node_modules', 'sass')
  const target = join(root, 'infra/conformance/node_modules/sass')
  // Without an installation (`npm test`) no site needs it.
  if (existsSync(link) || !existsSync(target)) return
  await mkdir(dirname(link), { recursive: true })
  await symlink(target, link).catch((error: NodeJS.ErrnoException) => {
    // The other run has made it.
    if (error.code !== 'EEXIST') throw error
  })
}
