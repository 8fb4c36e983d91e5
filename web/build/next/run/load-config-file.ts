// Loads a next.config.* in the current process, which runs nothing else.

import { createRequire } from 'node:module'
import { dirname, extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { registerConfigHooks } from './config-hooks.ts'
import { DEFAULT_CONFIG } from './default-config.ts'

/** What the config exports, or what its function returns. Calls `onFile` with the path of each file that it loads. */
export async function loadConfigFile(file: string, phase: string, onFile: (path: string) => void): Promise<unknown> {
  registerConfigHooks(onFile)
  // Next.js compiles a TypeScript config to CommonJS, which has these names.
  if (/\.[cm]?ts$/.test(extname(file)))
    Object.assign(globalThis, { require: createRequire(file), __filename: file, __dirname: dirname(file) })
  const module: { default?: unknown } = await import(pathToFileURL(file).href)
  const exported = isTranspiled(module.default) ? module.default.default : module.default
  return typeof exported === 'function' ? exported(phase, { defaultConfig: DEFAULT_CONFIG }) : exported
}

/** CommonJS that a transpiler wrote has its default export under this name. */
function isTranspiled(value: unknown): value is { default: unknown } {
  return typeof value === 'object' && value !== null && '__esModule' in value && 'default' in value
}
