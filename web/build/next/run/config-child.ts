// Runs a next.config.* in its own process, and sends what it exports to run-config.ts. A process for each run: modules
// that changed are loaded again, and what a wrapper changes in the process ends with it.

import { loadConfigFile } from './load-config-file.ts'
import { mdxNoteOf } from './next-mdx.ts'
import { type ConfigRun, toPlain } from './plain-config.ts'

const RULES = ['redirects', 'rewrites', 'headers']
const [, file = '', phase = ''] = process.argv.slice(2)
const files = new Set([file])
const before = { ...process.env }
// The frames of Node's loader and of the hooks come before that of the config.
Error.stackTraceLimit = 50

try {
  const value = await run()
  const extension = mdxNoteOf(value)?.extension
  const mdx = extension && { mdx: { source: extension.source, flags: extension.flags } }
  send({ kind: 'config', value: toPlain(value), files: [...files], changed: changedValues(), ...mdx })
} catch (error) {
  send({ kind: 'fault', ...faultOf(error), files: [...files] })
}

async function run(): Promise<unknown> {
  const value = await loadConfigFile(file, phase, (path) => files.add(path))
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
