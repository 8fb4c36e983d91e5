// The syntax of an author's modules: their statements, the names that a piece of code declares, imports and exports, also by
// CommonJS, and the value of an expression that is written out.

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

// What a module imports from one specifier: the names, the form and the place of the import.

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

// The names that a module of CommonJS exports, as far as its source says them.

/** Whether a module has an import or export; one with neither may be CommonJS. */
export function isEsModule(body: readonly Node[]): boolean {
  return body.some(({ type }) => /^(Import|Export)/.test(type))
}

/** The exports of a module of either kind, types excepted. */
export function namesOfModule(body: readonly Node[]): Set<string> {
  return isEsModule(body) ? exportedNames(body) : commonJsNames(body)
}

/** `default` for a module that sets `module.exports` to anything but an object of names without it. */
export function commonJsNames(body: readonly Node[]): Set<string> {
  const declared = new Map(body.flatMap(declaredValues))
  const names = new Set<string>()
  const visit = (node: Node) => {
    if (node.type === 'AssignmentExpression') {
      const left = childOf(node, 'left')
      const name = left?.type === 'MemberExpression' && isExports(childOf(left, 'object')) ? memberOf(left) : undefined
      if (name !== undefined) names.add(name)
      if (isModuleExports(left))
        for (const each of namesOfValue(resolveValue(childOf(node, 'right'), declared))) names.add(each)
    }
    for (const value of Object.values(node)) nodesIn(value).forEach(visit)
  }
  body.forEach(visit)
  return names
}

function namesOfValue(value: Node | undefined): string[] {
  if (value?.type === 'AssignmentExpression') return namesOfValue(childOf(value, 'right'))
  if (value?.type !== 'ObjectExpression') return ['default']
  return childrenOf(value, 'properties').flatMap((member) => (member.computed ? [] : (nameAt(member, 'key') ?? [])))
}

function isExports(node: Node | undefined): boolean {
  return (node?.type === 'Identifier' && node.name === 'exports') || isModuleExports(node)
}

function isModuleExports(node: Node | undefined): boolean {
  return node?.type === 'MemberExpression' && nameAt(node, 'object') === 'module' && memberOf(node) === 'exports'
}

function memberOf(node: Node): string | undefined {
  const property = childOf(node, 'property')
  if (property?.type === 'Literal') return String(property.value)
  return node.computed ? undefined : nameAt(node, 'property')
}

// The value of an expression that is written out: texts, numbers, lists and objects of them.

/** Values of local names, as declaredValues returns them. */
type Declared = ReadonlyMap<string, Node>
const NO_NAMES: Declared = new Map()

/** Undefined for an expression that must be run; a name of `declared` is as its value. */
export function literalValue(given: Node, declared: Declared = NO_NAMES): unknown {
  const node = resolveValue(given, declared) ?? given
  switch (node.type) {
    case 'Literal':
      return node.value
    case 'TemplateLiteral':
      return childrenOf(node, 'expressions').length === 0 ? templateText(node) : undefined
    case 'UnaryExpression': {
      const value = literalValue(childOf(node, 'argument') ?? { ...node, type: '' }, declared)
      return node.operator === '-' && typeof value === 'number' ? -value : undefined
    }
    case 'ArrayExpression':
      return whole(childrenOf(node, 'elements').map((element) => literalValue(element, declared)))
    case 'ObjectExpression':
      return objectValue(node, declared)
    default:
      return undefined
  }
}

function templateText(node: Node): string {
  const [quasi] = childrenOf(node, 'quasis')
  // The parser has the text of a template in a plain object.
  return String((quasi?.value as { cooked?: string } | undefined)?.cooked ?? '')
}

function whole(values: unknown[]): unknown[] | undefined {
  return values.includes(undefined) ? undefined : values
}

function objectValue(node: Node, declared: Declared): Record<string, unknown> | undefined {
  const entries = childrenOf(node, 'properties').map((property) => {
    const value = childOf(property, 'value')
    const isPlain = property.type === 'Property' && !property.computed && value
    return [nameAt(property, 'key') ?? '', isPlain ? literalValue(value, declared) : undefined] as const
  })
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries)
}
