// Finds and runs portico.config.*, which config.ts checks (R7), and finds in its source where the file sets a field.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { runnerImport } from 'vite'
import { BuildError, parseFault } from '../build-error.ts'
import { RUNTIME_FILES } from '../framework-files.ts'
import { readableError } from '../readable-error.ts'
import {
  childOf,
  childrenOf,
  declaredValues,
  findNode,
  type Node,
  nameAt,
  parseModule,
  resolveValue,
} from '../source/source.ts'

const CONFIG_FILES = ['portico.config.ts', 'portico.config.js', 'portico.config.mjs']

export interface RunConfig {
  /** Name of the file in the app folder. */
  file: string
  /** The default export, called where it is a function; not checked. */
  value: unknown
  /** Absolute paths of the config file and of the files that it imports. */
  files: string[]
}

/** The name of the config file; undefined for a folder without one. */
export function findConfigFile(appDir: string): string | undefined {
  return CONFIG_FILES.find((name) => existsSync(join(appDir, name)))
}

/** Runs a config file with `portico/config` resolved to this framework. Throws BuildError. */
export async function runConfigFile(appDir: string, file: string): Promise<RunConfig> {
  const run = await runFile(appDir, file).catch(loadFault(file, appDir))
  if (run.value === undefined)
    throw new BuildError(`${file}: must have a default export: export default defineConfig({ … })`)
  return { file, ...run }
}

/** The error of a configuration that throws: with its place if it has one, or with the name of the file. */
export function loadFault(file: string, appDir: string): (cause: unknown) => never {
  return (cause) => {
    const fault = readableError(cause, appDir)
    if (parseFault(fault.message).line !== undefined) throw fault
    throw new BuildError(`${file}: could not be loaded: ${fault.message}`, { cause })
  }
}

async function runFile(appDir: string, file: string): Promise<Omit<RunConfig, 'file'>> {
  const { module, dependencies } = await runnerImport<{ default?: unknown }>(join(appDir, file), {
    configFile: false,
    root: appDir,
    logLevel: 'error',
    resolve: { alias: { 'portico/config': RUNTIME_FILES.config }, tsconfigPaths: true },
  })
  const value = await resolveFunctions(await callIfFunction(module.default))
  return { value, files: [join(appDir, file), ...dependencies.map((path) => resolve(appDir, path))] }
}

/** Calls redirects, rewrites and headers where they are functions, as in the Pages Router. */
async function resolveFunctions(value: unknown): Promise<unknown> {
  if (!isRecord(value)) return value
  const resolved: Record<string, unknown> = { ...value }
  for (const name of ['redirects', 'rewrites', 'headers'])
    if (name in resolved) resolved[name] = await callIfFunction(resolved[name])
  return resolved
}

async function callIfFunction(value: unknown): Promise<unknown> {
  return typeof value === 'function' ? await value() : value
}

/**
 * The offset of a field such as `redirects[0].source`, or of the innermost field above it that the source writes out;
 * undefined for a field that it does not have.
 */
export function offsetOfField(code: string, file: string, field: string): number | undefined {
  const body = parseModule(code, file)
  const declared = new Map(body.flatMap(declaredValues))
  const [first = '', ...below] = field.match(/[^.[\]]+/g) ?? []
  const isField = (node: Node) => node.type === 'Property' && node.computed !== true && nameAt(node, 'key') === first
  const found = body.map((node) => findNode(node, isField)).find(Boolean)
  let last = found
  let value = resolveValue(found && childOf(found, 'value'), declared)
  for (const name of below) {
    const next = value && memberOf(value, name)
    if (!next) break
    last = next
    value = resolveValue(next.type === 'Property' ? childOf(next, 'value') : next, declared)
  }
  return last?.start
}

/** A property of an object, or an item of a list; also of the one that a function returns. */
function memberOf(value: Node, name: string): Node | undefined {
  if (value.type === 'ObjectExpression')
    return childrenOf(value, 'properties').find((each) => each.computed !== true && nameAt(each, 'key') === name)
  if (value.type === 'ArrayExpression') return childrenOf(value, 'elements')[Number(name)]
  const list = findNode(value, ({ type }) => type === 'ArrayExpression')
  return /Function/.test(value.type) && list ? memberOf(list, name) : undefined
}
