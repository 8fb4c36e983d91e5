// Whether an app folder is one of Next.js (compatibility mode, X), and the configuration files that decide it.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { isRecord, parseJson } from '@portico/shared/wire/json/json-value.ts'
import { BuildError } from '../build-error.ts'
import { findConfigFile, type RunConfig } from '../config/config.ts'
import { readDependencies } from '../package-json.ts'

export interface NextMode {
  /** Name of the folder's next.config.*, if the folder has one. */
  nextFile?: string
  /** The folder's portico.config.* as it is, not checked. */
  portico?: RunConfig
}

/** In the order in which Next.js looks for them. */
export const NEXT_FILES = ['next.config.js', 'next.config.mjs', 'next.config.ts', 'next.config.mts', 'next.config.cjs']

/**
 * Reads the mode; undefined where it is off. It is on without portico.config.* if the folder has a next.config.* or the
 * package `next` among its own dependencies, and with `next: true` in portico.config.*. Throws BuildError for two
 * configurations that do not know of each other.
 */
export async function readNextMode(appDir: string, portico: RunConfig | undefined): Promise<NextMode | undefined> {
  const nextFile = NEXT_FILES.find((name) => existsSync(join(appDir, name)))
  const found = nextFile !== undefined && { nextFile }
  if (portico === undefined) {
    const isOn = nextFile !== undefined || Object.hasOwn(await readDependencies(appDir), 'next')
    return isOn ? { ...found } : undefined
  }
  const setting = isRecord(portico.value) ? portico.value.next : undefined
  if (setting === undefined && nextFile !== undefined)
    throw new BuildError(
      `${nextFile} and ${portico.file}: two configurations; set next: true in ${portico.file} to add its fields to those of ${nextFile}, or remove ${nextFile} (next: false ignores it)`,
    )
  return setting === true ? { ...found, portico } : undefined
}

/**
 * A line for a folder that has `next` only where the mode does not look: among other dependencies of its package.json, or
 * in the package.json of a folder around it.
 */
export async function misplacedNext(appDir: string): Promise<string[]> {
  if (findConfigFile(appDir) !== undefined) return []
  const place = await placeOfNext(resolve(appDir))
  const remedy = 'add next to dependencies of package.json, or set next: true in portico.config.ts'
  return place ? [`${place} has next: this does not turn compatibility mode on; ${remedy}`] : []
}

async function placeOfNext(appDir: string): Promise<string | undefined> {
  for (let dir = appDir; ; dir = dirname(dir)) {
    const file = join(dir, 'package.json')
    const manifest = existsSync(file) ? parseJson(await readFile(file, 'utf8')) : undefined
    for (const field of dir === appDir ? OTHER_FIELDS : FIELDS) {
      const names = isRecord(manifest) ? manifest[field] : undefined
      if (isRecord(names) && Object.hasOwn(names, 'next')) return `${field} of ${relative(appDir, file)}`
    }
    if (dir === dirname(dir)) return undefined
  }
}

const OTHER_FIELDS = ['peerDependencies', 'optionalDependencies']
const FIELDS = ['dependencies', 'devDependencies', ...OTHER_FIELDS]
