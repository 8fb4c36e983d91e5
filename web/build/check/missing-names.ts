// Names that a module imports and the imported module does not export. Types count as exports, because a module may
// import them like values.

import { existsSync, readFileSync } from 'node:fs'
import type { RefuseFault } from '../build-error.ts'
import { childrenOf, declaredNames, type Node, nameAt, parseModule } from '../folder/module-syntax.ts'
import { refusedImport } from '../import-fault.ts'

interface ImportedModule {
  importer: string
  /** Absolute path of the imported module. */
  target: string
  names: readonly string[]
}

/** Reads each imported module once. */
export function createNameCheck(appDir: string, refuse: RefuseFault): (imported: ImportedModule) => void {
  const known = new Map<string, ReadonlySet<string> | undefined>()
  return ({ importer, target, names }) => {
    if (!known.has(target)) known.set(target, exportsOf(target))
    const exported = known.get(target)
    if (!exported) return
    for (const name of names) if (!exported.has(name)) refuse(refusedImport(importer, target, appDir, { name }))
  }
}

/** Undefined for a module whose exports are not all written in it: `export *`, CommonJS, or a module with a fault. */
function exportsOf(path: string): ReadonlySet<string> | undefined {
  const body = existsSync(path) ? parseModule(readFileSync(path, 'utf8'), path) : []
  const exports = body.filter(({ type, exportKind }) => /^Export/.test(type) && !isAllTypes(type, exportKind))
  if (exports.length === 0 || exports.some(({ type }) => type === 'ExportAllDeclaration')) return undefined
  return new Set(exports.flatMap(exportedNames))
}

/** `export type *`: a compiled module imports none of these names. */
function isAllTypes(type: string, exportKind: unknown): boolean {
  return type === 'ExportAllDeclaration' && exportKind === 'type'
}

function exportedNames(node: Node): string[] {
  if (node.type === 'ExportDefaultDeclaration') return ['default']
  return [...declaredNames(node), ...childrenOf(node, 'specifiers').flatMap((each) => nameAt(each, 'exported') ?? [])]
}
