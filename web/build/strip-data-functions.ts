// Takes data functions, and everything that only they use, out of pages for the browser: no server code or secret
// reaches a browser bundle.

import MagicString from 'magic-string'
import { type Plugin, parseSync } from 'vite'

const DATA_FUNCTIONS: ReadonlySet<string> = new Set(['getServerSideProps', 'getStaticProps', 'getStaticPaths'])

/** For the browser's bundle only. `isPage` tells page files from others. */
export function stripDataFunctions(isPage: (id: string) => boolean): Plugin {
  return {
    name: 'portico:strip-data-functions',
    enforce: 'pre',
    transform(code, id) {
      const path = id.split('?')[0]!
      if (this.environment.config.consumer !== 'client' || !isPage(path)) return
      return strip(code, path)
    },
  }
}

interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

interface Statement {
  node: Node
  declares: Set<string>
  uses: Set<string>
  /** Can be left out when nothing that stays needs it. */
  isRemovable: boolean
}

/** Returns the page without its data functions; undefined when it has none. */
export function strip(
  code: string,
  path: string,
): { code: string; map: ReturnType<MagicString['generateMap']> } | undefined {
  if (![...DATA_FUNCTIONS].some((name) => code.includes(name))) return
  // The parser's union of node types is walked by shape.
  const body = parseSync(path, code).program.body as unknown as Node[]
  const text = new MagicString(code)
  const dropped: Statement[] = []
  const others: Statement[] = []
  for (const node of body) {
    if (isDataExport(node)) dropped.push(describe(node))
    else if (node.type === 'ExportNamedDeclaration' && dropSpecifiers(node, text)) {
      // A local function exported by name: what it declares is found below.
      const named = describe(node)
      others.push({ ...named, uses: new Set([...named.uses].filter((name) => !DATA_FUNCTIONS.has(name))) })
    } else if (!node.exportKind && declaresDataFunction(node)) dropped.push(describe(node))
    else others.push(describe(node))
  }
  if (dropped.length === 0) return
  for (const { node } of dropped) text.remove(node.start, node.end)
  const kept = reach(
    others.filter((statement) => !statement.isRemovable),
    others,
  )
  const onlyTheirs = reach(dropped, others)
  for (const statement of others)
    if (onlyTheirs.has(statement)) removeUnused(statement, keptNames(kept), kept.has(statement), text)
  return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
}

function isDataExport(node: Node): boolean {
  return (
    node.type === 'ExportNamedDeclaration' && node.declaration != null && declaresDataFunction(node.declaration as Node)
  )
}

function declaresDataFunction(node: Node): boolean {
  const names = declaredNames(node)
  return names.length > 0 && names.every((name) => DATA_FUNCTIONS.has(name))
}

/** Removes data functions from `export { … }`; true when there were any. */
function dropSpecifiers(node: Node, text: MagicString): boolean {
  const specifiers = (node.specifiers ?? []) as Node[]
  const isData = (specifier: Node) => DATA_FUNCTIONS.has(nameOf(specifier.exported as Node))
  if (!specifiers.some(isData)) return false
  const rest = specifiers
    .filter((specifier) => !isData(specifier))
    .map((specifier) => text.original.slice(specifier.start, specifier.end))
  const source = node.source
    ? ` from ${text.original.slice((node.source as Node).start, (node.source as Node).end)}`
    : ''
  text.update(node.start, node.end, rest.length > 0 ? `export { ${rest.join(', ')} }${source}` : '')
  return true
}

/** The statements that a set needs, itself excluded unless needed. */
function reach(from: Statement[], all: Statement[]): Set<Statement> {
  const found = new Set<Statement>(from.filter((statement) => all.includes(statement)))
  const queue = [...from]
  for (let statement = queue.pop(); statement; statement = queue.pop())
    for (const other of all)
      if (!found.has(other) && [...other.declares].some((name) => statement.uses.has(name))) {
        found.add(other)
        queue.push(other)
      }
  return found
}

function keptNames(kept: Set<Statement>): Set<string> {
  return new Set([...kept].flatMap(({ uses }) => [...uses]))
}

function removeUnused({ node, isRemovable }: Statement, needed: Set<string>, isKept: boolean, text: MagicString): void {
  if (node.type !== 'ImportDeclaration') {
    if (isRemovable && !isKept) text.remove(node.start, node.end)
    return
  }
  // Type imports leave no trace anyway.
  if (node.importKind === 'type') return
  const specifiers = node.specifiers as Node[]
  const rest = specifiers.filter((specifier) => needed.has(nameOf(specifier.local as Node)))
  if (rest.length === specifiers.length) return
  if (rest.length === 0) {
    text.remove(node.start, node.end)
    return
  }
  const written = (kind: string) =>
    rest.filter(({ type }) => type === kind).map(({ start, end }) => text.original.slice(start, end))
  const named = written('ImportSpecifier')
  const parts = [
    ...written('ImportDefaultSpecifier'),
    ...written('ImportNamespaceSpecifier'),
    ...(named.length > 0 ? [`{ ${named.join(', ')} }`] : []),
  ]
  const source = node.source as Node
  text.update(node.start, node.end, `import ${parts.join(', ')} from ${text.original.slice(source.start, source.end)}`)
}

function describe(node: Node): Statement {
  const isImport = node.type === 'ImportDeclaration'
  const declares = new Set(
    isImport ? (node.specifiers as Node[]).map(({ local }) => nameOf(local as Node)) : declaredNames(node),
  )
  const uses = new Set<string>()
  if (!isImport) collectUses(node, uses)
  const isDeclaration = /^(Function|Class|Variable)Declaration$|^TS/.test(node.type)
  return { node, declares, uses, isRemovable: isDeclaration || (isImport && (node.specifiers as Node[]).length > 0) }
}

function declaredNames(node: Node): string[] {
  if (node.type === 'ExportNamedDeclaration') return node.declaration ? declaredNames(node.declaration as Node) : []
  if (node.type === 'VariableDeclaration')
    return (node.declarations as Node[]).flatMap(({ id }) => patternNames(id as Node))
  return node.id ? [nameOf(node.id as Node)] : []
}

function patternNames(pattern: Node): string[] {
  if (pattern.type === 'Identifier') return [nameOf(pattern)]
  const names = new Set<string>()
  collectUses(pattern, names)
  return [...names]
}

/** Every identifier that could be a reference; property names and attribute names are none. */
function collectUses(node: Node, names: Set<string>): void {
  if ((node.type === 'Identifier' || node.type === 'JSXIdentifier') && typeof node.name === 'string')
    names.add(node.name)
  for (const [key, value] of Object.entries(node)) {
    const isName =
      (node.type === 'MemberExpression' && key === 'property' && !node.computed) ||
      (node.type === 'Property' && key === 'key' && !node.computed && !node.shorthand) ||
      (node.type === 'JSXAttribute' && key === 'name')
    if (isName || typeof value !== 'object' || value === null) continue
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child === 'object' && child !== null && 'type' in child) collectUses(child as Node, names)
  }
}

function nameOf(node: Node): string {
  return String(node.name ?? node.value)
}
