// The Vite plugins of portico.config.ts, called once per bundle. Folders, inputs and outputs are Portico's.

import type { PluginsContext } from '@portico/shared/wire/build-output.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import type { Plugin } from 'vite'
import { BuildError } from '../build-error.ts'
import type { SiteConfig } from '../config/config.ts'

/** Throws BuildError for what is not a plugin. */
export async function sitePlugins({ plugins }: SiteConfig, context: PluginsContext): Promise<Plugin[]> {
  if (!plugins) return []
  const list = await flatten(await plugins(context))
  return list.map((plugin) => {
    if (!isPlugin(plugin))
      throw new BuildError(
        `plugins: must return Vite plugins, each an object with a name, for bundle "${context.bundle}"`,
      )
    // A copy: the function may return the same object for several bundles.
    return guard(Object.assign(Object.create(Object.getPrototypeOf(plugin)) as Plugin, plugin))
  })
}

/** Lists may be nested and hold promises and what a condition left out, as in Vite. */
async function flatten(item: unknown): Promise<unknown[]> {
  const value = await item
  if (Array.isArray(value)) return (await Promise.all(value.map(flatten))).flat()
  return value ? [value] : []
}

function isPlugin(value: unknown): value is Plugin {
  return isRecord(value) && typeof value.name === 'string'
}

/** Paths in Vite's configuration that a plugin must not set. */
const FIXED = [
  'root',
  'base',
  'publicDir',
  'build.outDir',
  'build.watch',
  'build.write',
  'build.ssr',
  'build.lib',
  'build.rolldownOptions.input',
  'build.rolldownOptions.output',
  'build.rollupOptions.input',
  'build.rollupOptions.output',
]

/** Members of an output, which a plugin can also set in the object that it finds. */
const OUTPUT = ['dir', 'file', 'format', 'entryFileNames', 'chunkFileNames', 'assetFileNames']

/** Has the plugin's hooks report a change of a fixed setting, with the plugin's name. */
function guard(plugin: Plugin): Plugin {
  wrap(plugin, 'config', (run) => async (config, ...rest) => {
    const changed = watchFixed(config)
    const result = await run(config, ...rest)
    const path = changed() ?? FIXED.find((each) => valueAt(result, each) !== undefined)
    if (path) throw fault(plugin, path)
    const environments = isRecord(result) && isRecord(result.environments) ? Object.values(result.environments) : []
    for (const environment of environments) refuseFixed(plugin, environment)
    return result
  })
  wrap(plugin, 'configEnvironment', (run) => async (...given) => {
    const result = await run(...given)
    refuseFixed(plugin, result)
    return result
  })
  // Some plugins write into the final configuration. Vite runs these hooks at the same time: what an asynchronous hook
  // writes later could be the work of another plugin.
  wrap(plugin, 'configResolved', (run) => (config, ...rest) => {
    const changed = watchFixed(config)
    const result = run(config, ...rest)
    const path = changed()
    if (path) throw fault(plugin, path)
    return result
  })
  wrap(plugin, 'options', (run) => async (options, ...rest) => {
    const result = await run(options, ...rest)
    if (isRecord(result) && result.input !== valueAt(options, 'input')) throw fault(plugin, 'input')
    return result
  })
  wrap(plugin, 'outputOptions', (run) => (options, ...rest) => {
    const result = run(options, ...rest)
    for (const name of OUTPUT)
      if (isRecord(result) && result[name] !== valueAt(options, name)) throw fault(plugin, `output.${name}`)
    return result
  })
  return plugin
}

/** Notes the fixed settings; the returned function finds one that has another value now. */
function watchFixed(config: unknown): () => string | undefined {
  const paths = [...FIXED, ...OUTPUT.map((name) => `build.rolldownOptions.output.${name}`)]
  const before = paths.map((path) => valueAt(config, path))
  return () => paths.find((path, index) => valueAt(config, path) !== before[index])
}

function refuseFixed(plugin: Plugin, config: unknown): void {
  for (const path of FIXED) if (valueAt(config, path) !== undefined) throw fault(plugin, path)
}

function fault({ name }: Plugin, path: string): BuildError {
  return new BuildError(`plugins: "${name}" sets ${path}, which Portico sets; remove the plugin or its option`)
}

function valueAt(config: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), config)
}

type Hook = (...given: unknown[]) => unknown

/** A hook is a function, or an object with the function as its `handler`. */
function wrap(
  plugin: Plugin,
  name: 'config' | 'configEnvironment' | 'configResolved' | 'options' | 'outputOptions',
  make: (run: Hook) => Hook,
) {
  const hooks = plugin as unknown as Record<string, Hook | { handler: Hook } | undefined>
  const hook = hooks[name]
  if (!hook) return
  const handler = typeof hook === 'function' ? hook : hook.handler
  const wrapped = function (this: unknown, ...given: unknown[]) {
    return make((...args) => handler.apply(this, args))(...given)
  }
  hooks[name] = typeof hook === 'function' ? wrapped : { ...hook, handler: wrapped }
}
