// The "assets" script of the app folder, which draws or fetches files before the build and development read the folder, and
// the list of the files that it drew: the build hashes the recipe of such a file instead of its bytes, which may differ
// between machines (Words: build id).

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { BuildError } from '../build-error.ts'
import { parseJsonObject } from '../package-json.ts'
import { appRelative } from '../source/source.ts'

/** The command of the "assets" script; undefined when package.json has none. */
export async function readAssetsScript(appDir: string): Promise<string | undefined> {
  const file = join(appDir, 'package.json')
  if (!existsSync(file)) return undefined
  const { scripts } = parseJsonObject(await readFile(file, 'utf8'), 'package.json')
  const assets = isRecord(scripts) ? scripts.assets : undefined
  if (assets === undefined || typeof assets === 'string') return assets
  throw new BuildError('package.json: scripts.assets must be a string')
}

/** Runs the script in the app folder. Throws BuildError when the script fails. */
export async function runAssetsScript(appDir: string, script: string, onLine: (text: string) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const path = `${join(process.execPath, '..')}:${process.env.PATH ?? ''}`
    const child = spawn(script, {
      cwd: appDir,
      shell: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PATH: path },
    })
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) if (line.trim() !== '') onLine(line)
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (code === 0) resolve()
      else reject(new BuildError(`package.json: the script "assets" failed with ${signal ?? `exit code ${code}`}`))
    })
  })
}

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
