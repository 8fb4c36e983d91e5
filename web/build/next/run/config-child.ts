// Runs a next.config.* in its own process, and sends what it exports to run-config.ts. A process for each run: modules
// that changed are loaded again, and what a wrapper changes in the process ends with it.

import { createRequire } from 'node:module'
import { dirname, extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { registerConfigHooks } from './config-hooks.ts'
import { DEFAULT_CONFIG } from './default-config.ts'
import { type ConfigRun, toPlain } from './plain-config.ts'

const RULES = ['redirects', 'rewrites', 'headers']
const [file = '', phase = ''] = process.argv.slice(2)
const files = new Set([file])
const before = { ...process.env }
// The frames of Node's loader and of the hooks come before that of the config.
Error.stackTraceLimit = 50

try {
  send({ kind: 'config', value: toPlain(await run()), files: [...files], changed: changedValues() })
} catch (error) {
  send({ kind: 'fault', ...faultOf(error), files: [...files] })
}

async function run(): Promise<unknown> {
  registerConfigHooks((path) => files.add(path))
  // Next.js compiles a TypeScript config to CommonJS, which has these names.
  if (/\.[cm]?ts$/.test(extname(file)))
    Object.assign(globalThis, { require: createRequire(file), __filename: file, __dirname: dirname(file) })
  const module: { default?: unknown } = await import(pathToFileURL(file).href)
  const exported = isTranspiled(module.default) ? module.default.default : module.default
  const value: unknown =
    typeof exported === 'function' ? await exported(phase, { defaultConfig: DEFAULT_CONFIG }) : await exported
  if (typeof value !== 'object' || value === null) return value
  const config: Record<string, unknown> = { ...value }
  for (const name of RULES) {
    const rule = config[name]
    if (typeof rule === 'function') config[name] = await rule.call(value)
  }
  return config
}

/** What a config throws may be anything. */
function faultOf(error: unknown): { message: string; stack: string } {
  try {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return { message: String(message), stack: String(stack ?? '') }
  } catch {
    return { message: 'an object that is no error was thrown', stack: '' }
  }
}

/** CommonJS that a transpiler wrote has its default export under this name. */
function isTranspiled(value: unknown): value is { default: unknown } {
  return typeof value === 'object' && value !== null && '__esModule' in value && 'default' in value
}

/** The variables that the config has set: the build inlines them as those of the files. */
function changedValues(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || value === before[name] ? [] : [[name, value]],
    ),
  )
}

/** Ends the process: a wrapper may have opened sockets or timers. */
function send(message: ConfigRun): void {
  process.send?.(message, () => process.exit(0))
}
