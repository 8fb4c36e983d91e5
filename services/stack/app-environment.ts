// `.env` files of the app folder, read in development only (F3): in production the environment of renderer and actions
// is the operator's.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** Later files win. */
const FILES = ['.env', '.env.development', '.env.local', '.env.development.local']

/** Values of the files; what the environment already has wins over all of them. */
export function readAppEnvironment(appDir: string, inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const values: NodeJS.ProcessEnv = {}
  for (const name of FILES) Object.assign(values, parseFile(join(appDir, name)))
  return { ...values, ...inherited }
}

function parseFile(file: string): NodeJS.ProcessEnv {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (cause) {
    // Most folders have none.
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new Error(`${file}: cannot be read`, { cause })
  }
}
