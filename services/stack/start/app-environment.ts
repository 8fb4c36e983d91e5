// Reads the `.env` files of the app folder, in development only (F3): in production the operator sets the environment
// of renderer and actions.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** Later files win. */
const FILES = ['.env', '.env.development', '.env.local', '.env.development.local']

/** Values of the files; existing values of the environment override them. */
export function readAppEnvironment(appDir: string, inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const values: NodeJS.ProcessEnv = {}
  for (const name of FILES) Object.assign(values, parseFile(join(appDir, name)))
  return { ...values, ...inherited }
}

function parseFile(file: string): NodeJS.ProcessEnv {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (cause) {
    // Most app folders have no such file.
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Error(`${file}: cannot be read`, { cause })
  }
}
