// The names that a piece of code uses and does not declare: what it needs from the module around it.

import { boundNames, childOf, childrenOf, declaredNames, type Node, nameOf, nodesIn } from '../folder/module-syntax.ts'

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
const TYPE_STATEMENT = /^TS(TypeAlias|Interface)Declaration$|^TSDeclareFunction$/

/** The names that a node uses and does not declare. Properties, attributes and types are not uses. */
export function freeNames(node: Node): Set<string> {
  const names = new Set<string>()
  collect(node, new Set(), names)
  return names
}

function collect(node: Node, shadowed: ReadonlySet<string>, names: Set<string>): void {
  if (TYPE_STATEMENT.test(node.type)) return
  if ((node.type === 'Identifier' || node.type === 'JSXIdentifier') && !shadowed.has(nameOf(node)))
    names.add(nameOf(node))
  const own = scopeOf(node)
  const inner = own.length > 0 ? new Set([...shadowed, ...own]) : shadowed
  for (const [key, value] of Object.entries(node)) {
    if (TYPE_KEYS.has(key) || isPropertyName(node, key)) continue
    for (const child of nodesIn(value)) collect(child, inner, names)
  }
}

function isPropertyName(node: Node, key: string): boolean {
  if (node.type === 'JSXAttribute') return key === 'name'
  if (node.type === 'JSXMemberExpression') return key === 'property'
  if (node.computed) return false
  if (node.type === 'MemberExpression') return key === 'property'
  // In a shorthand property the value is also the name.
  return key === 'key' && /^(Property|MethodDefinition|PropertyDefinition|AccessorProperty)$/.test(node.type)
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
