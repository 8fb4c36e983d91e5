// What Node would do with a file of a package: which file it finds, in which format, and whether it can run it with all
// that it imports. Reads imports from the text; no package runs.

import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { isFrameworkName, REACT_PACKAGES } from '@portico/shared/wire/bundles.ts'
import { init, parse } from 'es-module-lexer'
import { ResolverFactory } from 'oxc-resolver'
import { parseJsonObject } from '../json-object.ts'
import { isNodeFile, type NodeFiles } from './place-import.ts'

await init

const REQUIRE = new ResolverFactory({
  conditionNames: ['node', 'require', 'module-sync', 'default'],
  mainFields: ['main'],
  extensions: ['.js', '.json', '.node'],
})
const IMPORT = new ResolverFactory({
  conditionNames: ['node', 'import', 'module-sync', 'default'],
  mainFields: ['main'],
  extensions: ['.js', '.json', '.node'],
  fullySpecified: true,
})

/** Remembers what it read until `forget`: packages seldom change while a process runs. */
export function createNodeFiles(): NodeFiles & { forget(): void } {
  const types = new Map<string, string | undefined>()
  const formats = new Map<string, 'commonjs' | 'module' | 'other'>()
  /** Files that Node can run with all that they import. */
  const sound = new Set<string>()
  const faults = new Map<string, string>()

  const typeOf = (dir: string): string | undefined => {
    if (types.has(dir)) return types.get(dir)
    const file = join(dir, 'package.json')
    const isEnd = dirname(dir) === dir || basename(dir) === 'node_modules'
    const type = existsSync(file)
      ? String(parseJsonObject(readFileSync(file, 'utf8'), file).type)
      : isEnd
        ? undefined
        : typeOf(dirname(dir))
    types.set(dir, type)
    return type
  }
  const readFormat = (file: string): 'commonjs' | 'module' | 'other' => {
    switch (extname(file)) {
      case '.cjs':
      case '.json':
      case '.node':
        return 'commonjs'
      case '.mjs':
        return 'module'
      case '.js':
      case '': {
        const type = typeOf(dirname(file))
        if (type === 'module') return extname(file) === '.js' ? 'module' : 'other'
        if (type === 'commonjs') return 'commonjs'
        return hasModuleSyntax(readFileSync(file, 'utf8')) ? 'module' : 'commonjs'
      }
      default:
        return 'other'
    }
  }
  const formatOf = (file: string) => {
    const format = formats.get(file) ?? readFormat(file)
    formats.set(file, format)
    return format
  }
  const faultOf = (entry: string): string | undefined => {
    const known = faults.get(entry)
    if (known !== undefined || sound.has(entry)) return known
    const seen = new Set([entry])
    for (const file of seen) {
      const found = sound.has(file) ? { next: [] } : importsOf(file, formatOf(file))
      if (typeof found === 'string') {
        faults.set(entry, found)
        return found
      }
      for (const each of found.next) seen.add(each)
    }
    for (const file of seen) sound.add(file)
    return undefined
  }
  return {
    resolve,
    formatOf,
    faultOf,
    forget() {
      for (const each of [types, formats, sound, faults]) each.clear()
      REQUIRE.clearCache()
      IMPORT.clearCache()
    },
  }
}

function resolve(specifier: string, importer: string, by: 'require' | 'import'): string | undefined {
  return (by === 'require' ? REQUIRE : IMPORT).sync(dirname(importer), specifier).path
}

/** The files that a file imports when it is loaded, or why Node cannot load it. */
function importsOf(file: string, format: 'commonjs' | 'module' | 'other'): { next: string[] } | string {
  if (/\.(json|node)$/.test(file)) return { next: [] }
  if (format === 'other') return `${file}: is no JavaScript`
  const code = readFileSync(file, 'utf8')
  const next: string[] = []
  if (format === 'commonjs') {
    for (const specifier of requiredIn(code)) {
      if (!isOfPackage(specifier)) continue
      // A package that is not found is an optional one.
      const found = resolve(specifier, file, 'require')
      if (found === undefined) continue
      if (!isNodeFile(found)) return `${file}: imports "${specifier}"`
      next.push(found)
    }
    return { next }
  }
  for (const { n: specifier, d: kind, a: attributes } of parsed(code, file)) {
    if (kind !== STATIC || specifier === undefined || !isOfPackage(specifier)) continue
    const found = resolve(specifier, file, 'import')
    if (found === undefined || !isNodeFile(found)) return `${file}: imports "${specifier}"`
    if (found.endsWith('.json') && attributes === NO_ATTRIBUTES) return `${file}: imports "${specifier}" as a module`
    next.push(found)
  }
  return { next }
}

const STATIC = -1
const NO_ATTRIBUTES = -1

function parsed(code: string, file: string) {
  try {
    return parse(code, file)[0]
  } catch {
    // Node reports what it cannot parse.
    return []
  }
}

function isOfPackage(specifier: string): boolean {
  return !(isBuiltin(specifier) || isFrameworkName(specifier) || REACT_PACKAGES.test(specifier))
}

function requiredIn(code: string): Set<string> {
  return new Set(
    [...code.matchAll(/\brequire\s*\(\s*(['"])([^'"\n]+)\1\s*\)/g)].map(([, , specifier = '']) => specifier),
  )
}

function hasModuleSyntax(code: string): boolean {
  if (!/\b(import|export)\b/.test(code)) return false
  try {
    return parse(code)[3]
  } catch {
    return false
  }
}
