// The syntax of an author's modules: their statements, and the names that a piece of code declares and uses.

import { parseSync } from 'vite'

/** A node of the parser's tree, read by key: the parser's own types are a union of a hundred. */
export interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

/** The statements of a module. A module that cannot be parsed has no statements: the bundler reports the error. */
export function parseModule(code: string, file: string): Node[] {
  const { program } = file.endsWith('.js') ? parseSync(file, code, { lang: 'jsx' }) : parseSync(file, code)
  // The parser's union of node types is walked by shape.
  return program.body as unknown as Node[]
}

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

/** The names that a binding pattern declares. */
export function boundNames(pattern: Node | null | undefined): string[] {
  switch (pattern?.type) {
    case 'Identifier':
      return [nameOf(pattern)]
    case 'ObjectPattern':
      return (pattern.properties as Node[]).flatMap((member) => boundNames((member.value ?? member.argument) as Node))
    case 'ArrayPattern':
      return (pattern.elements as (Node | null)[]).flatMap(boundNames)
    case 'AssignmentPattern':
      return boundNames(pattern.left as Node)
    case 'RestElement':
      return boundNames(pattern.argument as Node)
    case 'TSParameterProperty':
      return boundNames(pattern.parameter as Node)
    default:
      return []
  }
}

/** The names that a statement declares in its scope. */
export function declaredNames(node: Node | null | undefined): string[] {
  if (!node) return []
  if (node.type === 'VariableDeclaration')
    return (node.declarations as Node[]).flatMap(({ id }) => boundNames(id as Node))
  if (node.type === 'ExportNamedDeclaration') return declaredNames(node.declaration as Node | null)
  return /Declaration$/.test(node.type) && node.id ? [nameOf(node.id as Node)] : []
}

/** The text of an identifier, or of a string in its place (`export { x as 'y' }`). */
export function nameOf(node: Node): string {
  return String(node.name ?? node.value)
}

/** Whether a predicate holds for any node of a tree. */
export function someNode(node: Node, matches: (node: Node) => boolean): boolean {
  return (
    matches(node) || Object.values(node).some((value) => childrenOf(value).some((child) => someNode(child, matches)))
  )
}

function collect(node: Node, shadowed: ReadonlySet<string>, names: Set<string>): void {
  if (TYPE_STATEMENT.test(node.type)) return
  if ((node.type === 'Identifier' || node.type === 'JSXIdentifier') && !shadowed.has(nameOf(node)))
    names.add(nameOf(node))
  const own = scopeOf(node)
  const inner = own.length > 0 ? new Set([...shadowed, ...own]) : shadowed
  for (const [key, value] of Object.entries(node)) {
    if (TYPE_KEYS.has(key) || isPropertyName(node, key)) continue
    for (const child of childrenOf(value)) collect(child, inner, names)
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
function scopeOf(node: Node): string[] {
  if (FUNCTION.test(node.type)) {
    const self = node.type === 'FunctionExpression' && node.id ? [nameOf(node.id as Node)] : []
    return [...self, ...(node.params as Node[]).flatMap(boundNames), ...hoisted(node.body as Node)]
  }
  switch (node.type) {
    case 'ClassExpression':
      return node.id ? [nameOf(node.id as Node)] : []
    case 'BlockStatement':
    case 'StaticBlock':
      return (node.body as Node[]).flatMap(declaredNames)
    case 'SwitchStatement':
      return (node.cases as Node[]).flatMap(({ consequent }) => (consequent as Node[]).flatMap(declaredNames))
    case 'ForStatement':
      return declaredNames(node.init as Node | null)
    case 'ForInStatement':
    case 'ForOfStatement':
      return declaredNames(node.left as Node)
    case 'CatchClause':
      return boundNames(node.param as Node | null)
    default:
      return []
  }
}

/** The names of `var` declarations at any depth, which belong to the function. */
function hoisted(node: Node): string[] {
  if (FUNCTION.test(node.type) || /^Class/.test(node.type)) return []
  const own = node.type === 'VariableDeclaration' && node.kind === 'var' ? declaredNames(node) : []
  return [...own, ...Object.values(node).flatMap((value) => childrenOf(value).flatMap(hoisted))]
}

function childrenOf(value: unknown): Node[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((child): child is Node => typeof child === 'object' && child !== null && 'type' in child)
}
