// Functions that configurations of an app name by their package.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BuildError } from '../build-error.ts'

/** The function that a package of the app exports. */
export async function importFunction(appDir: string, name: string): Promise<(...given: unknown[]) => unknown> {
  const path = createRequire(join(appDir, 'package.json')).resolve(name)
  const module: { default?: unknown } = await import(pathToFileURL(path).href)
  const exported: unknown = typeof module.default === 'function' ? module.default : module
  if (typeof exported !== 'function') throw new Error('it exports no function')
  return exported as (...given: unknown[]) => unknown
}

export function isInstalled(appDir: string, name: string): boolean {
  try {
    createRequire(join(appDir, 'package.json')).resolve(name)
    return true
  } catch {
    return false
  }
}

/** `place` is the file and field that name the package. */
export function loadError(place: string, name: string, cause: unknown): BuildError {
  const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
  return new BuildError(`${place}: "${name}" cannot be loaded: ${reason}`, { cause })
}
