// The `.env` files of the app folder during a build (K2): config files, their plugins and the assets script read their
// values from the environment.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type EnvMode, type EnvValues, readEnvFiles } from '@portico/shared/wire/environment/env-files.ts'
import { BuildError } from '../build-error.ts'

/** The values of the files and of the environment, which wins, and the names of the files that exist. */
export function readAppEnv(appDir: string, mode: EnvMode, inherited: EnvValues) {
  return readEnvFiles(mode, inherited, (name) => parseFile(appDir, name))
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
