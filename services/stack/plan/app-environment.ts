// Reads the `.env` files of the app folder for the services (F3, K2), and follows them under development.

import { readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type EnvMode, envFilesOf, readEnvFiles } from '@portico/shared/wire/environment/env-files.ts'

/** An editor may write a file in several steps. */
const TOGETHER_MS = 100

export interface AppEnvironment {
  appDir: string
  mode: EnvMode
  /** The environment of this process: its values override those of the files. */
  inherited: NodeJS.ProcessEnv
}

/** Values of the files and of the environment, and the names of the files that exist. */
export function readAppEnvironment({ appDir, mode, inherited }: AppEnvironment): {
  values: NodeJS.ProcessEnv
  files: string[]
} {
  return readEnvFiles(mode, inherited, (name) => parseFile(join(appDir, name)))
}

interface WatchedEnvironment extends AppEnvironment {
  /** Receives all values after a change, and the names whose values changed. */
  onChange: (values: NodeJS.ProcessEnv, names: readonly string[]) => void
  /** Receives the error of a file that cannot be read; the earlier values remain. */
  onError: (error: unknown) => void
}

/** Reads the files again when one of them changes. Returns a function that ends this. */
export function watchAppEnvironment({ onChange, onError, ...environment }: WatchedEnvironment): () => void {
  const { appDir, mode } = environment
  const files = envFilesOf(mode)
  let { values } = readAppEnvironment(environment)
  let timer: NodeJS.Timeout | undefined
  const read = () => {
    try {
      const before = values
      values = readAppEnvironment(environment).values
      const names = new Set([...Object.keys(before), ...Object.keys(values)])
      const changed = [...names].filter((name) => before[name] !== values[name])
      if (changed.length > 0) onChange(values, changed)
    } catch (error) {
      onError(error)
    }
  }
  const watcher = watch(appDir, { persistent: false }, (_event, name) => {
    if (name !== null && !files.includes(name)) return
    clearTimeout(timer)
    timer = setTimeout(read, TOGETHER_MS).unref()
  })
  watcher.on('error', onError)
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}

function parseFile(file: string): NodeJS.ProcessEnv | undefined {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (cause) {
    // Most app folders have no such file.
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${file}: cannot be read`, { cause })
  }
}
