// The `.env` files of the app folder during a build (K2): the config file, its plugins and the assets script read their
// values from `process.env`. SECURITY: bundles contain those that compatibility mode inlines and no others; of `publicEnv` a
// browser receives the values that the services read when they start.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { type EnvMode, type EnvValues, readEnvFiles } from '@portico/shared/wire/environment/env-files.ts'
import { BuildError } from './build-error.ts'

/** The values of the files and of the environment, which wins, and the names of the files that exist. */
export function readAppEnv(appDir: string, mode: EnvMode, inherited: EnvValues) {
  try {
    return readEnvFiles(mode, inherited, (name) => parseFile(appDir, name))
  } catch (cause) {
    if (cause instanceof BuildError) throw cause
    throw new BuildError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

/** Adds the values of production to `process.env`, which wins. Returns the names of the files that exist. */
export function provideEnvFiles(appDir: string): string[] {
  const { values, files } = readAppEnv(appDir, 'production', process.env)
  Object.assign(process.env, values)
  return files
}

/** One line for the author: the files, and the names whose values reach browsers. */
export function environmentLine(
  files: readonly string[],
  { publicEnv, codeEnv = {} }: Pick<Manifest, 'publicEnv' | 'codeEnv'>,
  inlined: readonly string[],
): string {
  const names = Object.keys(publicEnv)
  const shown = Object.keys(codeEnv).filter((name) => codeEnv[name]?.browser)
  const unset = shown.filter((name) => codeEnv[name]?.default === undefined)
  const without = unset.length > 0 ? `; no value here: ${unset.join(', ')}` : ''
  const atStart = shown.length > 0 ? `, and ${shown.join(', ')} (read at start${without})` : ''
  const constant = inlined.length > 0 ? `, and ${inlined.join(', ')} (inlined)` : ''
  const read = files.length > 0 ? `read ${files.join(', ')}` : 'no .env file'
  const declared = `${names.length > 0 ? names.join(', ') : 'no value'} (publicEnv)`
  return `Environment: ${read}; browsers receive ${declared}${atStart}${constant}`
}

function parseFile(appDir: string, name: string) {
  const file = join(appDir, name)
  if (!existsSync(file)) return undefined
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new BuildError(`${name}: cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}
