// The names that a piece of code uses and does not declare: what it needs from the module around it.

import { boundNames, childOf, childrenOf, declaredNames, type Node, nameAt, nameOf, nodesIn } from './syntax.ts'

const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/
/** Keys whose values are types only: type stripping removes them. */
const TYPE_KEYS: ReadonlySet<string> = new Set([
  'typeAnnotation',
  'returnType',
  'typeParameters',
  'typeArguments',
  'superTypeArguments',
  'implements',
])
/** What type stripping removes, and a statement that names what another module exports. */
const NO_CODE =
  /^(TSTypeAliasDeclaration|TSInterfaceDeclaration|TSDeclareFunction|TSEmptyBodyFunctionExpression|TSIndexSignature|ExportAllDeclaration)$/

/** One use of a name that no node around it declares. */
export interface FreeUse {
  node: Node
  /** The nodes around it, the innermost first. */
  parents: readonly Node[]
}

/** The names that a node uses and does not declare. Properties, attributes and types are not uses. */
export function freeNames(node: Node): Set<string> {
  const names = new Set<string>()
  visitFree(node, [], new Set(), (use) => names.add(nameOf(use)))
  return names
}

/** The uses of some names that no statement of a module declares, in their order. */
export function freeUses(body: readonly Node[], names: ReadonlySet<string>): FreeUse[] {
  const uses: FreeUse[] = []
  const own = body.flatMap((statement) => [
    ...importedNames(statement),
    ...declaredNames(statement),
    ...hoisted(statement),
  ])
  const visit = (node: Node, parents: readonly Node[]) => {
    if (names.has(nameOf(node))) uses.push({ node, parents: parents.toReversed() })
  }
  for (const statement of body)
    if (statement.type !== 'ImportDeclaration') visitFree(statement, [], new Set(own), visit)
  return uses
}

function importedNames(statement: Node): string[] {
  return statement.type === 'ImportDeclaration'
    ? childrenOf(statement, 'specifiers').flatMap((specifier) => nameAt(specifier, 'local') ?? [])
    : []
}

function visitFree(
  node: Node,
  /** The innermost last; the caller may keep a copy only. */
  parents: Node[],
  shadowed: ReadonlySet<string>,
  visit: (use: Node, parents: readonly Node[]) => void,
): void {
  // `declare` describes what other code declares.
  if (NO_CODE.test(node.type) || node.declare === true || (node.type === 'ExportNamedDeclaration' && node.source))
    return
  if ((node.type === 'Identifier' || node.type === 'JSXIdentifier') && !shadowed.has(nameOf(node))) visit(node, parents)
  const own = scopeOf(node)
  const inner = own.length > 0 ? new Set([...shadowed, ...own]) : shadowed
  parents.push(node)
  for (const [key, value] of Object.entries(node)) {
    if (TYPE_KEYS.has(key) || isName(node, key)) continue
    for (const child of nodesIn(value)) visitFree(child, parents, inner, visit)
  }
  parents.pop()
}

/** Whether what is under a key is a name of the node's own, and no use. */
function isName(node: Node, key: string): boolean {
  switch (node.type) {
    case 'JSXAttribute':
      return key === 'name'
    case 'JSXMemberExpression':
      return key === 'property'
    case 'ExportSpecifier':
      return key === 'exported'
    case 'TSEnumMember':
      return key === 'id'
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return key === 'label'
    case 'MetaProperty':
      return true
  }
  if (node.computed) return false
  if (node.type === 'MemberExpression') return key === 'property'
  // In a shorthand property the value is also the name.
  return key === 'key' && /(Property|Definition)$/.test(node.type)
}

/** The names that a node declares for the nodes inside it. */
export function scopeOf(node: Node): string[] {
  if (FUNCTION.test(node.type)) {
    const self = node.type === 'FunctionExpression' ? boundNames(childOf(node, 'id')) : []
    return [...self, ...childrenOf(node, 'params').flatMap(boundNames), ...childrenOf(node, 'body').flatMap(hoisted)]
  }
  switch (node.type) {
    case 'ClassExpression':
      return boundNames(childOf(node, 'id'))
    case 'BlockStatement':
    case 'StaticBlock':
    case 'TSModuleBlock':
      return childrenOf(node, 'body').flatMap(declaredNames)
    case 'SwitchStatement':
      return childrenOf(node, 'cases').flatMap((each) => childrenOf(each, 'consequent').flatMap(declaredNames))
    case 'ForStatement':
      return declaredNames(childOf(node, 'init'))
    case 'ForInStatement':
    case 'ForOfStatement':
      return declaredNames(childOf(node, 'left'))
    case 'CatchClause':
      return boundNames(childOf(node, 'param'))
    default:
      return []
  }
}

/** The names of `var` declarations at any depth, which belong to the function. */
function hoisted(node: Node): string[] {
  if (FUNCTION.test(node.type) || /^Class/.test(node.type)) return []
  const own = node.type === 'VariableDeclaration' && node.kind === 'var' ? declaredNames(node) : []
  return [...own, ...Object.values(node).flatMap((value) => nodesIn(value).flatMap(hoisted))]
}
