// Copies of React in an app folder. npm installs one for each package that names React as a peer; pages and packages run
// on the framework's copy all the same, because hooks of two copies do not know each other.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import { BuildError } from '../build-error.ts'
import { appRelative } from '../folder/source-paths.ts'
import { RUNTIME_FILES } from '../framework-files.ts'
import { findInstalled } from '../installed-package.ts'
import { parseJsonObject } from '../json-object.ts'

export interface ReactCopies {
  /**
   * Notes the copy that an import would have reached, for example `react/jsx-runtime`. Throws BuildError if the copy is
   * of another major version: the importer was written for an interface that the framework's copy may not have.
   */
  note(specifier: string, importer: string): void
  /** A line per copy, for example `node_modules/react 19.2.0`. */
  list(): string[]
}

const require = createRequire(RUNTIME_FILES.index)

export function createReactCopies(appDir: string, { isAnyVersion = false } = {}): ReactCopies {
  const copies = new Map<string, string>()
  const noted = new Set<string>()
  return {
    note(specifier, importer) {
      const name = specifier.split('/')[0] ?? specifier
      const visit = `${name} ${dirname(importer)}`
      if (!isAbsolute(importer) || noted.has(visit)) return
      const own = require.resolve(`${name}/package.json`)
      const found = findInstalled(name, dirname(importer))
      const file = found === undefined ? own : join(found, 'package.json')
      if (file !== own) {
        const version = versionOf(file)
        const used = versionOf(own)
        const path = appRelative(appDir, dirname(file))
        if (!isAnyVersion && majorOf(version) !== majorOf(used))
          throw new BuildError(
            `${appRelative(appDir, importer)}: imports ${path} ${version}, but pages run on ${name} ${used}; install packages for React ${majorOf(used)}`,
          )
        copies.set(path, version)
      }
      noted.add(visit)
    },
    list: () => [...copies].map(([path, version]) => `${path} ${version}`).sort(),
  }
}

/** The version of the React that pages run on. */
export function ownReactVersion(): string {
  return versionOf(require.resolve('react/package.json'))
}

function versionOf(file: string): string {
  return String(parseJsonObject(readFileSync(file, 'utf8'), file).version)
}

function majorOf(version: string): string {
  return version.split('.')[0] ?? version
}
