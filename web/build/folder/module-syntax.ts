// The syntax of an author's modules: their statements, and which names a piece of code declares and refers to.

import { parseSync } from 'vite'

/** A node of the parser's tree; its union of types is walked by shape. */
export interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

/** The statements of a module; none when it cannot be parsed, which the bundler reports with its frame. */
export function parseModule(code: string, file: string): Node[] {
  const { program } = file.endsWith('.js') ? parseSync(file, code, { lang: 'jsx' }) : parseSync(file, code)
  // The parser's union of node types is walked by shape.
  return program.body as unknown as Node[]
}

const FUNCTION = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/
/** Keys that hold types only: what they name is gone when the code runs. */
const TYPE_KEYS: ReadonlySet<string> = new Set([
  'typeAnnotation',
  'returnType',
  'typeParameters',
  'typeArguments',
  'superTypeArguments',
  'implements',
])
const TYPE_STATEMENT = /^TS(TypeAlias|Interface)Declaration$|^TSDeclareFunction$/

/** Names that a node uses and does not declare itself. Properties, attributes and types are no uses. */
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

/** The names that a statement declares in the scope it stands in. */
export function declaredNames(node: Node | null | undefined): string[] {
  if (!node) return []
  if (node.type === 'VariableDeclaration')
    return (node.declarations as Node[]).flatMap(({ id }) => boundNames(id as Node))
  if (node.type === 'ExportNamedDeclaration') return declaredNames(node.declaration as Node | null)
  return /Declaration$/.test(node.type) && node.id ? [nameOf(node.id as Node)] : []
}

/** The text of an identifier, or of a string that stands for one (`export { x as 'y' }`). */
export function nameOf(node: Node): string {
  return String(node.name ?? node.value)
}

/** Whether any node of a tree fits. */
export function someNode(node: Node, fits: (node: Node) => boolean): boolean {
  return fits(node) || Object.values(node).some((value) => childrenOf(value).some((child) => someNode(child, fits)))
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
  // A shorthand's name is its value too.
  return key === 'key' && /^(Property|MethodDefinition|PropertyDefinition|AccessorProperty)$/.test(node.type)
}

/** What a node declares for everything inside it. */
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

/** `var` belongs to the function, however deep it stands. */
function hoisted(node: Node): string[] {
  if (FUNCTION.test(node.type) || /^Class/.test(node.type)) return []
  const own = node.type === 'VariableDeclaration' && node.kind === 'var' ? declaredNames(node) : []
  return [...own, ...Object.values(node).flatMap((value) => childrenOf(value).flatMap(hoisted))]
}

function childrenOf(value: unknown): Node[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((child): child is Node => typeof child === 'object' && child !== null && 'type' in child)
}
