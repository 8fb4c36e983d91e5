// Removes data functions, and everything that only they use, from pages for the browser: no server code or secret
// reaches a browser bundle.

import MagicString from 'magic-string'
import type { Plugin } from 'vite'
import { BuildError } from '../folder/app-folder.ts'
import { boundNames, declaredNames, freeNames, type Node, nameOf, parseModule } from '../folder/module-syntax.ts'

const DATA_FUNCTIONS: ReadonlySet<string> = new Set(['getServerSideProps', 'getStaticProps', 'getStaticPaths'])

/** Changes page files (`isPage`) in the browser bundle only. */
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

/** The smallest unit that can be kept or removed: a statement, a declarator or an export specifier. */
interface Part {
  node: Node
  /** The statement that contains the part. */
  statement: Node
  declares: readonly string[]
  uses: ReadonlySet<string>
  /** data: removed. free: removed when only data functions use it. fixed: kept. */
  fate: 'data' | 'free' | 'fixed'
}

/** The page without its data functions; undefined when it has none. Throws BuildError for exports that could hide one. */
export function strip(
  code: string,
  path: string,
): { code: string; map: ReturnType<MagicString['generateMap']> } | undefined {
  if (!code.includes('export *') && ![...DATA_FUNCTIONS].some((name) => code.includes(name))) return
  const body = parseModule(code, path)
  const parts = body.flatMap((statement) => partsOf(statement, path))
  const data = parts.filter(({ fate }) => fate === 'data')
  if (data.length === 0) return
  const used = reach(
    parts.filter(({ fate }) => fate === 'fixed'),
    parts,
  )
  const onlyTheirs = reach(data, parts)
  const needed = new Set([...used].flatMap(({ uses }) => [...uses]))
  const text = new MagicString(code)
  for (const statement of body) {
    const own = parts.filter((part) => part.statement === statement)
    if (statement.type === 'ImportDeclaration') {
      if (own.some((part) => onlyTheirs.has(part))) narrowImport(statement, needed, text)
      continue
    }
    const kept = own.filter((part) => part.fate === 'fixed' || used.has(part) || !onlyTheirs.has(part))
    if (kept.length < own.length) keepOnly(statement, own, kept, text)
  }
  return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
}

function partsOf(statement: Node, path: string): Part[] {
  const part = (node: Node, fate: Part['fate'], declares = declaredNames(node), uses = freeNames(node)): Part => ({
    node,
    statement,
    declares,
    uses,
    fate,
  })
  const isExport = statement.type === 'ExportNamedDeclaration'
  const declaration = isExport ? (statement.declaration as Node | null) : statement
  if (statement.type === 'ExportAllDeclaration' && statement.exportKind !== 'type')
    throw new BuildError(`${path}: a page must name its exports; "export *" could hide a data function`)
  if (statement.type === 'ImportDeclaration') {
    const specifiers = statement.specifiers as Node[]
    const locals = specifiers.map(({ local }) => nameOf(local as Node))
    return [part(statement, specifiers.length > 0 ? 'free' : 'fixed', locals, new Set())]
  }
  if (isExport && !declaration)
    return (statement.specifiers as Node[]).map((specifier) => {
      const uses = statement.source ? [] : [nameOf(specifier.local as Node)]
      const isData = DATA_FUNCTIONS.has(nameOf(specifier.exported as Node))
      return part(specifier, isData ? 'data' : 'fixed', [], new Set(uses))
    })
  const fateOf = (names: readonly string[]) => {
    if (!isExport) return 'free'
    if (!names.some((name) => DATA_FUNCTIONS.has(name))) return 'fixed'
    if (names.every((name) => DATA_FUNCTIONS.has(name))) return 'data'
    throw new BuildError(`${path}: ${names.join(', ')}: a data function must not share a pattern with other exports`)
  }
  if (declaration?.type === 'VariableDeclaration')
    return (declaration.declarations as Node[]).map((declarator) => {
      const names = boundNames(declarator.id as Node)
      return part(declarator, fateOf(names), names)
    })
  const isDeclaration = /^(Function|Class)Declaration$|^TS/.test(declaration?.type ?? '')
  return [part(statement, isDeclaration ? fateOf(declaredNames(declaration)) : 'fixed')]
}

/** The given parts and all parts that they use, directly or indirectly. */
function reach(from: readonly Part[], all: readonly Part[]): Set<Part> {
  const found = new Set(from)
  const queue = [...from]
  for (let part = queue.pop(); part; part = queue.pop())
    for (const other of all)
      if (!found.has(other) && other.declares.some((name) => part.uses.has(name))) {
        found.add(other)
        queue.push(other)
      }
  return found
}

/** Removes the other declarators or specifiers of a statement. */
function keepOnly(statement: Node, own: readonly Part[], kept: readonly Part[], text: MagicString): void {
  if (kept.length === 0) {
    text.remove(statement.start, statement.end)
    return
  }
  const written = kept.map(({ node }) => text.original.slice(node.start, node.end)).join(', ')
  text.update(own[0]!.node.start, own.at(-1)!.node.end, written)
}

function narrowImport(node: Node, needed: ReadonlySet<string>, text: MagicString): void {
  // The bundler removes type imports.
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
  // The text after the source (`with { type: 'json' }`) is kept.
  text.update(node.start, source.start, `import ${parts.join(', ')} from `)
}
