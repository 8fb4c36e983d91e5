// JSON objects that authors write, the dependencies of package.json among them, and where a package is installed.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { BuildError } from './build-error.ts'

/** Parses a JSON file. Throws BuildError that names the file unless the JSON is an object. */
export function parseJsonObject(text: string, file: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new BuildError(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
  if (isRecord(value)) return value
  throw new BuildError(`${file}: must contain a JSON object`)
}

/**
 * The ranges of the folder's own dependencies, by name; those of development too, unless only `production` is asked for. Throws
 * BuildError for a package.json that is no JSON object.
 */
export async function readDependencies(dir: string, which?: 'production'): Promise<Record<string, unknown>> {
  const file = join(dir, 'package.json')
  if (!existsSync(file)) return {}
  const { dependencies, devDependencies } = parseJsonObject(await readFile(file, 'utf8'), 'package.json')
  return {
    ...(which === undefined && isRecord(devDependencies) && devDependencies),
    ...(isRecord(dependencies) && dependencies),
  }
}

/** The folder of the package that a file is in; undefined for a file outside of node_modules. */
export function folderWithFile(file: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0]
}

/** The folder of a package as Node finds it from a folder: in node_modules of the folder, then of each parent. */
export function findInstalled(name: string, from: string): string | undefined {
  const folder = join(from, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  return dirname(from) === from ? undefined : findInstalled(name, dirname(from))
}
