// `paths` and `baseUrl` of tsconfig.json or jsconfig.json, and what a specifier means by them.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { childOf, literalValue, parseModule } from './syntax.ts'

export interface PathOptions {
  /** Absolute; undefined without the option. */
  baseUrl: string | undefined
  /** Absolute folder that the targets of `paths` begin at. */
  pathsBase: string
  paths: Readonly<Record<string, readonly string[]>>
}

/** The files that a specifier may mean by `paths`: those of the longest pattern that fits. */
export function targetsOf(specifier: string, { paths, pathsBase }: PathOptions): string[] {
  const fitting = Object.keys(paths).flatMap((pattern) => {
    const [start = '', end] = pattern.split('*')
    if (end === undefined) return pattern === specifier ? [{ pattern, rank: Number.POSITIVE_INFINITY, rest: '' }] : []
    const fits = specifier.startsWith(start) && specifier.endsWith(end) && specifier.length >= start.length + end.length
    return fits
      ? [{ pattern, rank: start.length, rest: specifier.slice(start.length, specifier.length - end.length) }]
      : []
  })
  const [best] = fitting.sort((left, right) => right.rank - left.rank)
  return best
    ? (paths[best.pattern] ?? []).map((target) =>
        resolve(
          pathsBase,
          target.replace('*', () => best.rest),
        ),
      )
    : []
}

/** Reads the options as Next.js does: tsconfig.json, or else jsconfig.json, with what they extend. */
export function readPathOptions(appDir: string, tsconfig = 'tsconfig.json'): PathOptions {
  const file = [tsconfig, 'jsconfig.json'].map((name) => join(appDir, name)).find((path) => existsSync(path))
  const none: PathOptions = { baseUrl: undefined, pathsBase: appDir, paths: {} }
  return file === undefined ? none : readOptions(file, none, new Set())
}

function readOptions(file: string, inherited: PathOptions, seen: ReadonlySet<string>): PathOptions {
  if (seen.has(file) || !existsSync(file)) return inherited
  const config = parseWithComments(readFileSync(file, 'utf8'))
  const parents = [config.extends].flat().filter((each) => typeof each === 'string')
  const base = parents.reduce(
    (options, parent) => readOptions(locate(parent, file), options, new Set([...seen, file])),
    inherited,
  )
  const own = isRecord(config.compilerOptions) ? config.compilerOptions : {}
  const baseUrl = typeof own.baseUrl === 'string' ? resolve(dirname(file), own.baseUrl) : base.baseUrl
  if (!isRecord(own.paths)) return { ...base, baseUrl }
  const entries = Object.entries(own.paths).map(([pattern, targets]): [string, string[]] => [
    pattern,
    [targets].flat().map(String),
  ])
  return { baseUrl, pathsBase: baseUrl ?? dirname(file), paths: Object.fromEntries(entries) }
}

/** The file of an `extends`: a path, or a file of a package. */
function locate(parent: string, file: string): string {
  if (/^\.{0,2}\//.test(parent)) {
    const path = resolve(dirname(file), parent)
    return path.endsWith('.json') ? path : `${path}.json`
  }
  const require = createRequire(file)
  for (const name of [parent, `${parent}.json`, `${parent}/tsconfig.json`])
    try {
      return require.resolve(name)
    } catch {
      // The next form of the name may exist; without any the parent adds nothing, as the compiler reports.
    }
  return ''
}

/** The value of JSON with comments and trailing commas, as the compiler reads it. */
function parseWithComments(text: string): Record<string, unknown> {
  const [statement] = parseModule(`(${text.replace(/^\uFEFF/, '')})`, 'tsconfig.ts')
  const value = statement && literalValue(childOf(statement, 'expression') ?? statement)
  return isRecord(value) ? value : {}
}
