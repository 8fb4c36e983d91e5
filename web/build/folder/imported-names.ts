// What a module imports from one specifier: the names, the form and the place of the import.

import { childOf, childrenOf, findNode, type Node, nameAt } from './module-syntax.ts'

interface ImportedNames {
  names: ReadonlySet<string>
  /** `export *`, or a namespace that is used as a value: every name may be used. */
  isAll: boolean
  /** At least one import has no names: it runs the module. */
  isBare: boolean
  /** Position of the first import in the code; undefined when the module has no import declaration of the specifier. */
  start: number | undefined
}

/** Reads the import declarations and the re-exports of a module; types are left out. */
export function importedNames(body: readonly Node[], specifier: string): ImportedNames {
  const names = new Set<string>()
  let isAll = false
  let isBare = false
  const own = body.filter((node) => nameAt(node, 'source') === specifier && !isTypeOnly(node))
  for (const node of own) {
    const specifiers = childrenOf(node, 'specifiers')
    if (node.type === 'ImportDeclaration' && specifiers.length === 0) isBare = true
    if (node.type === 'ExportAllDeclaration') isAll = true
    for (const each of specifiers)
      if (each.type === 'ImportNamespaceSpecifier') {
        isAll = true
        for (const name of membersOf(body, nameAt(each, 'local') ?? '')) names.add(name)
      } else names.add(each.type === 'ImportDefaultSpecifier' ? 'default' : importedName(each))
  }
  return { names, isAll, isBare, start: own[0]?.start }
}

/** Whether nothing of an import or a re-export is a value: `import type …`, `import { type A, type B } from …`. */
export function isTypeOnly(node: Node): boolean {
  if (node.importKind === 'type' || node.exportKind === 'type') return true
  const specifiers = childrenOf(node, 'specifiers')
  return (
    specifiers.length > 0 && specifiers.every(({ importKind, exportKind }) => (importKind ?? exportKind) === 'type')
  )
}

function importedName(specifier: Node): string {
  return nameAt(specifier, specifier.type === 'ExportSpecifier' ? 'local' : 'imported') ?? ''
}

/** The names that a module reads from a namespace: `db.query` gives `query`. */
function membersOf(body: readonly Node[], namespace: string): Set<string> {
  const names = new Set<string>()
  for (const statement of body)
    findNode(statement, (node) => {
      if (node.type === 'MemberExpression' && !node.computed && nameAt(node, 'object') === namespace)
        names.add(nameAt(node, 'property') ?? '')
      return false
    })
  return names
}

/** Whether a module imports a specifier for its effects, as in `import 'server-only'`. */
export function importsBare(body: readonly Node[], specifier: string): boolean {
  return body.some((node) => node.type === 'ImportDeclaration' && nameOfSource(node) === specifier)
}

function nameOfSource(node: Node): string | undefined {
  const source = childOf(node, 'source')
  return typeof source?.value === 'string' ? source.value : undefined
}
