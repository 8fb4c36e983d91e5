// Reads the `.env` files of a Next.js app before its configuration runs, and finds what the bundles inline (K2, X6).

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type EnvMode, envFileNames, expandEnv } from '@portico/shared/wire/env/env-files.ts'
import { BuildError, errorCode } from '../build-error.ts'

const PUBLIC = /^NEXT_PUBLIC_\w+$/

export interface EnvFiles {
  /** The names of the files that exist. */
  files: string[]
  /** Values of the files and of the environment. */
  values: NodeJS.ProcessEnv
}

/** `inherited` is the environment, which wins over the files. */
export async function readEnvFiles(appDir: string, mode: EnvMode, inherited: NodeJS.ProcessEnv): Promise<EnvFiles> {
  const found: { name: string; values: NodeJS.Dict<string> }[] = []
  for (const name of envFileNames(mode)) {
    const values = await parseFile(join(appDir, name), name)
    if (values) found.push({ name, values })
  }
  const own = Object.assign({}, ...found.map(({ values }) => values)) as Record<string, string>
  return { files: found.map(({ name }) => name), values: { ...expandEnv(own, inherited), ...inherited } }
}

/** The expressions that every bundle replaces by values: `process.env.NEXT_PUBLIC_…`. */
export function publicDefines(values: NodeJS.ProcessEnv): Record<string, string> {
  const names = Object.keys(values)
    .filter((name) => PUBLIC.test(name))
    .sort()
  return Object.fromEntries(names.map((name) => [`process.env.${name}`, JSON.stringify(values[name])]))
}

async function parseFile(path: string, name: string): Promise<NodeJS.Dict<string> | undefined> {
  try {
    return parseEnv(await readFile(path, 'utf8'))
  } catch (cause) {
    // Most app folders have no such file.
    if (errorCode(cause) === 'ENOENT') return undefined
    throw new BuildError(`${name}: cannot be read`, { cause })
  }
}
