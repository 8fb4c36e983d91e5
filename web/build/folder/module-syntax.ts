// The syntax of an author's modules: their statements, and the names that a piece of code declares and uses.

import { parseSync } from 'vite'

/** The functions of a page that browsers do not receive. */
export const DATA_FUNCTIONS: ReadonlySet<string> = new Set(['getServerSideProps', 'getStaticProps', 'getStaticPaths'])

/** A node of the parser's tree, read by key: the parser's own types are a union of a hundred. */
export interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

/** Whether JSX is parsed in a file whose ending does not say so: JavaScript, and the compiled text of MDX. */
export function isJsx(path: string): boolean {
  return /\.(js|mdx?)$/.test(path)
}

/**
 * The statements of a module, which for MDX is the compiled one. A module that cannot be parsed has no statements: the
 * bundler reports the error.
 */
export function parseModule(code: string, file: string): Node[] {
  const { program } = isJsx(file) ? parseSync(file, code, { lang: 'jsx' }) : parseSync(file, code)
  return nodesIn(program.body)
}

/** The node under a key; undefined when there is none. */
export function childOf(node: Node, key: string): Node | undefined {
  return nodesIn(node[key])[0]
}

/** The nodes of the list under a key, without the holes of array patterns. */
export function childrenOf(node: Node, key: string): Node[] {
  return nodesIn(node[key])
}

/** The text of an identifier, or of a string in its place (`export { x as 'y' }`). */
export function nameOf(node: Node): string {
  return String(node.name ?? node.value)
}

/** The name under a key; undefined when there is none. */
export function nameAt(node: Node, key: string): string | undefined {
  const child = childOf(node, key)
  return child && nameOf(child)
}

/** The first node of a tree for which a predicate holds. */
export function findNode(node: Node, matches: (node: Node) => boolean): Node | undefined {
  if (matches(node)) return node
  for (const value of Object.values(node))
    for (const child of nodesIn(value)) {
      const found = findNode(child, matches)
      if (found) return found
    }
  return undefined
}

/** The names that a binding pattern declares. */
export function boundNames(pattern: Node | undefined): string[] {
  switch (pattern?.type) {
    case 'Identifier':
      return [nameOf(pattern)]
    case 'ObjectPattern':
      return childrenOf(pattern, 'properties').flatMap((member) =>
        boundNames(childOf(member, 'value') ?? childOf(member, 'argument')),
      )
    case 'ArrayPattern':
      return childrenOf(pattern, 'elements').flatMap(boundNames)
    case 'AssignmentPattern':
      return boundNames(childOf(pattern, 'left'))
    case 'RestElement':
      return boundNames(childOf(pattern, 'argument'))
    case 'TSParameterProperty':
      return boundNames(childOf(pattern, 'parameter'))
    default:
      return []
  }
}

/** The names that a statement declares in its scope. */
export function declaredNames(node: Node | undefined): string[] {
  // `declare` describes what other code declares.
  if (!node || node.declare === true) return []
  if (node.type === 'VariableDeclaration')
    return childrenOf(node, 'declarations').flatMap((declarator) => boundNames(childOf(declarator, 'id')))
  if (node.type === 'ExportNamedDeclaration') return declaredNames(childOf(node, 'declaration'))
  const name = nameAt(node, 'id')
  return name !== undefined && /Declaration$/.test(node.type) ? [name] : []
}

/** The names that a statement declares, each with its value; the value of a destructured name is its pattern. */
export function declaredValues(statement: Node): [string, Node][] {
  const declaration = statement.type === 'ExportNamedDeclaration' ? childOf(statement, 'declaration') : statement
  if (declaration?.type === 'VariableDeclaration')
    return childrenOf(declaration, 'declarations').flatMap((declarator) => {
      const id = childOf(declarator, 'id')
      if (!id) return []
      const value = id.type === 'Identifier' ? (childOf(declarator, 'init') ?? id) : id
      return boundNames(id).map((name): [string, Node] => [name, value])
    })
  if (declaration && /^(Function|Class)Declaration$/.test(declaration.type))
    return declaredNames(declaration).map((name) => [name, declaration])
  return []
}

/** The value behind casts and local names. */
export function resolveValue(
  value: Node | undefined,
  declared: ReadonlyMap<string, Node>,
  depth = 0,
): Node | undefined {
  if (value && /^(TSAsExpression|TSSatisfiesExpression|TSNonNullExpression|ParenthesizedExpression)$/.test(value.type))
    return resolveValue(childOf(value, 'expression'), declared, depth)
  const local = value?.type === 'Identifier' ? declared.get(nameOf(value)) : undefined
  // Names may refer to each other in a cycle.
  return local && depth < 10 ? resolveValue(local, declared, depth + 1) : value
}

/** The names that a module exports, types excepted. */
export function exportedNames(body: readonly Node[]): Set<string> {
  const names = new Set<string>()
  for (const node of body) {
    if (node.exportKind === 'type') continue
    if (node.type === 'ExportDefaultDeclaration') names.add('default')
    if (node.type === 'ExportAllDeclaration' && node.exported) names.add(nameAt(node, 'exported') ?? '')
    if (node.type !== 'ExportNamedDeclaration') continue
    for (const name of declaredNames(node)) names.add(name)
    for (const specifier of childrenOf(node, 'specifiers'))
      if (specifier.exportKind !== 'type') names.add(nameAt(specifier, 'exported') ?? '')
  }
  return names
}

/** The specifiers of the modules whose names a module exports by `export *`. */
export function exportedSources(body: readonly Node[]): string[] {
  return body.flatMap((node) =>
    node.type === 'ExportAllDeclaration' && !node.exported && node.exportKind !== 'type'
      ? (nameAt(node, 'source') ?? [])
      : [],
  )
}

/** The specifiers of a module's static imports, type imports excepted. */
export function importedSources(code: string, file: string): string[] {
  return parseModule(code, file).flatMap((node) => {
    const source = childOf(node, 'source')
    return source && node.importKind !== 'type' && node.exportKind !== 'type' ? [String(source.value)] : []
  })
}

/** Where a module exports a name: the offset of its declaration or specifier. */
export function exportOffset(code: string, file: string, name: string): number | undefined {
  for (const node of parseModule(code, file)) {
    if (!exportedNames([node]).has(name)) continue
    const specifier = childrenOf(node, 'specifiers').find((each) => nameAt(each, 'exported') === name)
    return (specifier ?? childOf(node, 'declaration') ?? node).start
  }
  return undefined
}

/** The nodes in a value: a node, a list with holes, or anything else. */
export function nodesIn(value: unknown): Node[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((child): child is Node => typeof child === 'object' && child !== null && 'type' in child)
}
