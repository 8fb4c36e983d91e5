// Compiles MDX for mdx-compiler.ts with the packages and the options of an app: a separate process, in which the plugins of
// remark and rehype that a next.config.* names or imports are functions.

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadConfigFile } from '../../run/load-config-file.ts'
import { mdxNoteOf } from '../../run/next-mdx.ts'
import { MDX_PROVIDER, type MdxJob, type MdxReply } from './mdx-messages.ts'

const [appDir = '', file = '', phase = ''] = process.argv.slice(2)
const require = createRequire(join(appDir, 'package.json'))
const PLUGINS = ['remarkPlugins', 'rehypePlugins', 'recmaPlugins']

type Compile = (source: { path: string; value: string }, options: object) => Promise<unknown>

/** The package that compiles is missing. */
class MissingError extends Error {
  override name = 'MissingError'
}

const ready = prepare()
// Each job reports a fault.
ready.catch(() => {})
process.on('message', (job: MdxJob) => void reply(job))
process.on('disconnect', () => process.exit())

async function reply({ id, path, source }: MdxJob): Promise<void> {
  let message: MdxReply
  try {
    const { compile, options } = await ready
    message = { id, kind: 'compiled', code: String(await compile({ path, value: source }, options)) }
  } catch (error) {
    message = { id, ...faultOf(error) }
  }
  process.send?.(message)
}

async function prepare(): Promise<{ compile: Compile; options: object }> {
  const path = findCompiler()
  if (path === undefined) throw new MissingError('is compiled by a package that is not installed')
  const module: { compile?: Compile; default?: unknown } = await import(pathToFileURL(path).href)
  const compile = module.compile ?? versionOne(module.default)
  if (!compile) throw new MissingError('needs another version of @mdx-js/mdx')
  const given = mdxNoteOf(await loadConfigFile(file, phase, () => {}))?.options ?? {}
  const options: Record<string, unknown> = {
    providerImportSource: MDX_PROVIDER,
    ...given,
    jsx: false,
    development: phase === 'phase-development-server',
  }
  for (const name of PLUGINS)
    if (Array.isArray(given[name])) options[name] = await Promise.all(given[name].map(loadPlugin))
  return { compile, options }
}

/** Version 1 is a function whose result has JSX, which the build compiles as its first comment says. */
function versionOne(mdx: unknown): Compile | undefined {
  if (typeof mdx !== 'function') return undefined
  return async ({ path, value }, options) => {
    const code: unknown = await mdx(value, { ...options, filepath: path })
    return `/* @jsxRuntime classic @jsx mdx */\nimport { mdx } from '@mdx-js/react'\n${String(code)}`
  }
}

/** `@mdx-js/mdx` of the app: packages for bundlers bring it with them. */
function findCompiler(): string | undefined {
  for (const bundler of ['@mdx-js/rollup', '@mdx-js/loader', undefined])
    try {
      const from = bundler === undefined ? require : createRequire(require.resolve(bundler))
      return from.resolve('@mdx-js/mdx')
    } catch {
      // The next package may be installed.
    }
  return undefined
}

/** A plugin, or a list of a plugin and its options; the name of a package is the function that the package exports. */
async function loadPlugin(plugin: unknown): Promise<unknown> {
  if (Array.isArray(plugin)) return [await loadPlugin(plugin[0]), ...plugin.slice(1)]
  if (typeof plugin !== 'string') return plugin
  const module: { default?: unknown } = await import(pathToFileURL(require.resolve(plugin)).href)
  return module.default ?? module
}

/** The compiler's messages have a reason and a place. */
function faultOf(error: unknown): Omit<Extract<MdxReply, { kind: 'missing' | 'fault' }>, 'id'> {
  if (error instanceof MissingError) return { kind: 'missing', text: error.message }
  if (!(error instanceof Error)) return { kind: 'fault', text: String(error) }
  const { reason, line, column } = error as Error & { reason?: unknown; line?: unknown; column?: unknown }
  return {
    kind: 'fault',
    text: typeof reason === 'string' ? reason : (error.message.split('\n')[0] ?? ''),
    ...(typeof line === 'number' && { line, column: typeof column === 'number' ? column : 1 }),
  }
}
