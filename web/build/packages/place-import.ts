// Where the module of an import in server code is: in the bundle, in node_modules, or in the framework. One rule for builds,
// development and tests of sites (F1). The rule reads files through `NodeFiles` only.

import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'
import { isFrameworkName, REACT_PACKAGES } from '@portico/shared/wire/bundles.ts'
import { init, parse } from 'es-module-lexer'
import { ResolverFactory } from 'oxc-resolver'
import { folderWithFile, parseJsonObject } from '../package-json.ts'

export type Placement =
  /** Part of the bundle, or transformed by development. */
  | { kind: 'bundled' }
  /** React or the framework: the process has one copy of it. */
  | { kind: 'react' }
  | { kind: 'framework' }
  /** Node loads the file by `require`, with the names that CommonJS gives it. */
  | { kind: 'require'; file: string }
  /** Node loads the file by `import`. */
  | { kind: 'import'; file: string }

export interface ImportInServerCode {
  specifier: string
  /** Absolute path of the importing file. */
  importer: string
  /** Where the bundler finds the module; undefined if it finds none. */
  resolved: string | undefined
}

export interface PackageSettings {
  /** Names of packages that are never bundled. */
  serverExternalPackages: readonly string[]
  /** Names of packages that are always bundled. */
  transpilePackages: readonly string[]
}

/** What Node would do. */
export interface NodeFiles {
  /** The real path of the file that Node loads; undefined if Node finds none. */
  resolve(specifier: string, importer: string, by: 'require' | 'import'): string | undefined
  formatOf(file: string): 'commonjs' | 'module' | 'other'
  /** Why Node cannot run the file with all that it imports; undefined if Node can. */
  faultOf(file: string): string | undefined
}

const BUNDLED: Placement = { kind: 'bundled' }

/**
 * A package with a form in CommonJS is loaded by `require`, as Next.js and Node do; one that has only ES modules by
 * `import`. Bundled is what Node cannot run, and what is no package: linked packages are sources of the author.
 */
export function placeImport(
  { specifier, importer, resolved }: ImportInServerCode,
  settings: PackageSettings,
  node: NodeFiles,
): Placement {
  if (REACT_PACKAGES.test(specifier)) return { kind: 'react' }
  if (isFrameworkName(specifier)) return { kind: 'framework' }
  const name = packageName(specifier)
  if (name === undefined || settings.transpilePackages.includes(name)) return BUNDLED
  const isNamed = settings.serverExternalPackages.includes(name)
  const folder = resolved === undefined ? undefined : folderWithFile(resolved)
  // Without a file: a stylesheet, an image, data, or a linked package.
  if (!isNamed && (folder === undefined || !IS_CODE.test(resolved ?? ''))) return BUNDLED
  for (const by of ['require', 'import'] as const) {
    const file = node.resolve(specifier, importer, by)
    if (file === undefined) continue
    const format = node.formatOf(file)
    // An alias led the bundler to another package.
    if (!isNamed && folderWithFile(file) !== folder) return BUNDLED
    if (by === 'require' && format === 'module') continue
    if (!isNamed && node.faultOf(file) !== undefined) return BUNDLED
    return { kind: format === 'module' ? 'import' : 'require', file }
  }
  return BUNDLED
}

const IS_CODE = /\.([cm]?js|node)$/

/** The name of the package that a specifier begins with; undefined for a path, a URL or an import of the own package. */
export function packageName(specifier: string): string | undefined {
  if (/^[./#\0]|^[A-Za-z][\w+.-]*:|\?/.test(specifier)) return undefined
  return /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0]
}

/** Whether Node loads a file of this name as code, or as data by `require`. */
function isNodeFile(file: string): boolean {
  return ['.js', '.cjs', '.mjs', '.json', '.node', ''].includes(extname(file))
}

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

// What Node would do with a file of a package: which file it finds, in which format, and whether it can run it with all that
// it imports. Reads imports from the text; no package runs.

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
