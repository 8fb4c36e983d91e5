// What the app folder's "assets" script says of the pictures it draws: their recipes stand for their bytes, which may
// differ between machines (Words: build id).

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { appRelative, BuildError, parseAuthorsJson } from './app-folder.ts'

/** App-relative path to the hash of the recipe. */
export type GeneratedFiles = ReadonlyMap<string, string>

/** Reads `.portico/assets.json`; empty when there is none. */
export async function readGeneratedFiles(appDir: string): Promise<GeneratedFiles> {
  let text: string
  try {
    text = await readFile(join(appDir, '.portico', 'assets.json'), 'utf8')
  } catch {
    // No script, or one that draws nothing.
    return new Map()
  }
  const { files } = parseAuthorsJson(text, '.portico/assets.json') as { files?: Record<string, unknown> }
  return new Map(
    Object.entries(files ?? {}).map(([file, entry]) => {
      const { recipe } = (entry ?? {}) as { recipe?: unknown }
      if (typeof recipe !== 'string' || recipe === '')
        throw new BuildError(`.portico/assets.json: files["${file}"].recipe must be a string`)
      return [file, recipe]
    }),
  )
}

/** 64 hex digits that stand for a file's content. */
export function contentHash(appDir: string, path: string, bytes: Uint8Array, generated: GeneratedFiles): string {
  const recipe = generated.get(appRelative(appDir, path))
  return createHash('sha256')
    .update(recipe ?? bytes)
    .digest('hex')
}
