// The files that the "assets" script of the app folder drew. The build hashes the recipe of such a file instead of its
// bytes, which may differ between machines (Words: build id).

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { BuildError } from '../build-error.ts'
import { parseJsonObject } from '../json-object.ts'
import { appRelative } from './source-paths.ts'

/** Recipes by app-relative path. */
export type GeneratedFiles = ReadonlyMap<string, string>

/** Reads `.portico/assets.json`; empty when the file does not exist. */
export async function readGeneratedFiles(appDir: string): Promise<GeneratedFiles> {
  let text: string
  try {
    text = await readFile(join(appDir, '.portico', 'assets.json'), 'utf8')
  } catch {
    // The folder has no "assets" script, or the script drew nothing.
    return new Map()
  }
  const { files = {} } = parseJsonObject(text, '.portico/assets.json')
  if (!isRecord(files)) throw new BuildError('.portico/assets.json: files must be an object')
  return new Map(
    Object.entries(files).map(([file, entry]) => {
      const recipe = isRecord(entry) ? entry.recipe : undefined
      if (typeof recipe !== 'string' || recipe === '')
        throw new BuildError(`.portico/assets.json: files["${file}"].recipe must be a non-empty string`)
      return [file, recipe]
    }),
  )
}

/** The hash of a file's recipe, or of its bytes when the file has no recipe: 64 hex digits. */
export function contentHash(appDir: string, path: string, bytes: Uint8Array, generated: GeneratedFiles): string {
  const recipe = generated.get(appRelative(appDir, path))
  return createHash('sha256')
    .update(recipe ?? bytes)
    .digest('hex')
}
