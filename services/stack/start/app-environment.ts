// Reads the `.env` files of the app folder, in development only (F3): in production the operator sets the environment
// of renderer and actions.

import { readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** Later files win. */
const FILES = ['.env', '.env.development', '.env.local', '.env.development.local']
/** An editor may write a file in several steps. */
const TOGETHER_MS = 100

/** Values of the files; existing values of the environment override them. */
export function readAppEnvironment(appDir: string, inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const values: NodeJS.ProcessEnv = {}
  for (const name of FILES) Object.assign(values, parseFile(join(appDir, name)))
  return { ...values, ...inherited }
}

export interface WatchedEnvironment {
  appDir: string
  inherited: NodeJS.ProcessEnv
  /** Receives all values after a change, and the names whose values changed. */
  onChange: (values: NodeJS.ProcessEnv, names: readonly string[]) => void
  /** Receives the error of a file that cannot be read; the earlier values remain. */
  onError: (error: unknown) => void
}

/** Reads the files again when one of them changes. Returns a function that ends this. */
export function watchAppEnvironment({ appDir, inherited, onChange, onError }: WatchedEnvironment): () => void {
  let values = readAppEnvironment(appDir, inherited)
  let timer: NodeJS.Timeout | undefined
  const read = () => {
    try {
      const before = values
      values = readAppEnvironment(appDir, inherited)
      const names = new Set([...Object.keys(before), ...Object.keys(values)])
      const changed = [...names].filter((name) => before[name] !== values[name])
      if (changed.length > 0) onChange(values, changed)
    } catch (error) {
      onError(error)
    }
  }
  const watcher = watch(appDir, { persistent: false }, (_event, name) => {
    if (name !== null && !FILES.includes(name)) return
    clearTimeout(timer)
    timer = setTimeout(read, TOGETHER_MS).unref()
  })
  watcher.on('error', onError)
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
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
