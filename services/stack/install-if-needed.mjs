// Installs the packages of this repository if they are missing or differ from the lock file.
// Plain JavaScript: this file runs on the machine's own Node, before that of the stack is installed.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findNode, missingNodeText } from './find-node.mjs'

/**
 * Returns the path of the Node that runs the stack. Prints each step; exits the process with code 1 on a failure.
 * @param {string} root folder of the repository
 * @returns {string}
 */
export function installIfNeeded(root) {
  const [major = 0] = process.versions.node.split('.').map(Number)
  if (major < 20) fail(`Node ${process.versions.node} is too old: install Node 20 or newer`)
  const reason = reasonToInstall(root)
  if (reason) {
    const command = existsSync(join(root, 'package-lock.json')) ? 'ci' : 'install'
    console.error(`Installing packages (${reason}): npm ${command}`)
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    // Warnings would report that packages need a newer Node than the machine's: they run on the Node that is installed
    // here.
    const { status, error } = spawnSync(npm, [command, '--no-fund', '--no-audit', '--loglevel=error'], {
      cwd: root,
      // npm start sets npm_command and npm_lifecycle_* for its own run; the inner npm must not inherit them.
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(command|lifecycle)/.test(name))),
      stdio: ['ignore', 2, 2],
    })
    if (error) fail(`npm could not be run: ${error.message}`)
    if (status !== 0) fail(`npm ${command} failed with code ${status}; see its message above`)
  }
  return findNode(root) ?? fail(missingNodeText())
}

/**
 * Why an install is needed; undefined when the installed packages match the lock file.
 * Compares content: a checkout or a copy changes times without changing packages.
 * @param {string} root
 * @returns {string | undefined}
 */
export function reasonToInstall(root) {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'))
  if (!installed) return 'node_modules is missing'
  const wanted = readPackages(join(root, 'package-lock.json'))
  if (!wanted) return undefined
  for (const [path, { version, optional, devOptional, link, peer }] of Object.entries(wanted)) {
    if (!path.startsWith('node_modules/')) continue
    const found = installed[path]
    const name = path.slice('node_modules/'.length)
    if (link && !found) return `${name} is missing`
    // Optional packages may be for other systems: they may be absent, but not of another version.
    if (!found && (optional || devOptional || peer)) continue
    if (found && !existsSync(join(root, path))) return `${name} is missing`
    if (found?.version !== version) return `${name} is ${found?.version ?? 'missing'}, the lock file says ${version}`
  }
  return undefined
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean, devOptional?: boolean, link?: boolean, peer?: boolean }> | undefined}
 */
function readPackages(file) {
  if (!existsSync(file)) return undefined
  return JSON.parse(readFileSync(file, 'utf8')).packages
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message)
  process.exit(1)
}
