// The "assets" script of the app folder: it draws or fetches files before the build and the development server read
// the folder.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { BuildError } from '../build-error.ts'
import { parseJsonObject } from '../json-object.ts'

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
