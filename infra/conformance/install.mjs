// Installs what only the comparison with Next.js needs, from lock files: the packages of this folder, and Next.js itself
// in a folder outside of the repository. Plain JavaScript, as run.mjs.

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reasonToInstall } from '../../services/stack/install-if-needed.mjs'

const here = dirname(fileURLToPath(import.meta.url))

/** Installs the packages of this folder that sites of the suites use. */
export function installPackages() {
  install(here)
}

/**
 * Returns the folder of the installation of Next.js, which is kept. Sites that Next.js builds are below it: Next.js
 * looks for its packages in the folders above a site. Sites that Portico builds are elsewhere, and see none of them.
 * @returns {string}
 */
export function installNext() {
  const folder = join(tmpdir(), 'portico-conformance-next')
  mkdirSync(folder, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(here, 'next', name), join(folder, name))
  install(folder)
  return folder
}

/** @param {string} folder */
function install(folder) {
  const reason = reasonToInstall(folder)
  if (!reason) return
  console.log(`Installing packages in ${folder} (${reason}): npm ci`)
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const args = ['ci', '--no-fund', '--no-audit', '--loglevel=error', '--ignore-scripts']
  // npm run sets npm_command and npm_lifecycle_* for its own run; the inner npm must not inherit them.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(command|lifecycle)/.test(name)))
  const { status, error } = spawnSync(npm, args, { cwd: folder, env, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`npm ci failed in ${folder}: ${error?.message ?? `code ${status}`}`)
}
