// PostCSS configurations whose plugins are names: Next.js loads each by its name, Vite does not (X6).

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { runnerImport } from 'vite'
import { loadFault } from '../../../config/config.ts'
import type { PostcssPlugins } from '../../../mode.ts'
import { parseJsonObject } from '../../../package-json.ts'
import { importFunction, loadError } from '../../app-packages.ts'

const SCRIPTS = ['js', 'mjs', 'cjs', 'ts'].flatMap((ending) => [`postcss.config.${ending}`, `.postcssrc.${ending}`])
const JSON_FILES = ['.postcssrc.json', 'postcss.config.json', '.postcssrc']

/**
 * The plugins of a configuration that lists them by name; undefined for an app without one, and for a configuration that
 * Vite reads as it is. Throws BuildError for a plugin that cannot be loaded.
 */
export async function readPostcssPlugins(appDir: string): Promise<PostcssPlugins | undefined> {
  const found = await readConfig(appDir)
  const plugins = found && isRecord(found.value) ? found.value.plugins : undefined
  if (!Array.isArray(plugins) || !plugins.some((plugin) => nameOf(plugin) !== undefined)) return undefined
  const loaded: PostcssPlugins = []
  for (const plugin of plugins) {
    const name = nameOf(plugin)
    const options: unknown = Array.isArray(plugin) ? plugin[1] : undefined
    if (name === undefined && plugin) loaded.push(plugin)
    else if (name !== undefined && options !== false) loaded.push(await load(appDir, found?.file ?? '', name, options))
  }
  return loaded
}

/** `'name'` or `['name', options]`. */
function nameOf(plugin: unknown): string | undefined {
  const [first]: unknown[] = Array.isArray(plugin) ? plugin : [plugin]
  return typeof first === 'string' ? first : undefined
}

async function load(appDir: string, file: string, name: string, options: unknown): Promise<PostcssPlugins[number]> {
  try {
    const create = await importFunction(appDir, name)
    // The cast: PostCSS checks the plugin when it runs.
    return create(isRecord(options) ? options : undefined) as PostcssPlugins[number]
  } catch (cause) {
    throw loadError(`${file}: plugins`, name, cause)
  }
}

async function readConfig(appDir: string): Promise<{ file: string; value: unknown } | undefined> {
  const has = (name: string) => existsSync(join(appDir, name))
  const json = JSON_FILES.find(has)
  if (json) return { file: json, value: parseJsonObject(await readFile(join(appDir, json), 'utf8'), json) }
  const script = SCRIPTS.find(has)
  if (script) return { file: script, value: await runScript(appDir, script).catch(loadFault(script, appDir)) }
  if (!has('package.json')) return undefined
  const { postcss } = parseJsonObject(await readFile(join(appDir, 'package.json'), 'utf8'), 'package.json')
  return postcss === undefined ? undefined : { file: 'package.json', value: postcss }
}

/** CommonJS is loaded by Node, other modules by Vite, which runs a changed file again. */
async function runScript(appDir: string, script: string): Promise<unknown> {
  const path = join(appDir, script)
  const isCommonJs = /\bmodule\.exports\b/.test(await readFile(path, 'utf8'))
  if (isCommonJs) {
    const require = createRequire(path)
    delete require.cache[path]
    return require(path)
  }
  const { module } = await runnerImport<{ default?: unknown }>(path, {
    configFile: false,
    root: appDir,
    logLevel: 'error',
  })
  return module.default
}
