// Where the module of an import in server code is: in the bundle, in node_modules, or in the framework. One rule for
// builds, development and tests of sites (F1). Reads files through `NodeFiles` only.

import { extname } from 'node:path'
import { isFrameworkName, REACT_PACKAGES } from '@portico/shared/wire/bundles.ts'
import { folderWithFile } from '../installed-package.ts'

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

/** A file of a package that Node loads. */
export interface LoadedPackage {
  /** What the bundle names: the specifier, or the path behind PACKAGE_SCHEME where Node would find another file by it. */
  name: string
  file: string
  by: 'require' | 'import'
  /** Ids and names in bundles that have the file loaded. */
  moduleIds: readonly string[]
}

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
export function isNodeFile(file: string): boolean {
  return ['.js', '.cjs', '.mjs', '.json', '.node', ''].includes(extname(file))
}
