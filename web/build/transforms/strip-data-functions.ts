// Removes data functions, and everything that only they use, from pages for the browser: no server code or secret
// reaches a browser bundle.

import MagicString from 'magic-string'
import type { Plugin } from 'vite'
import { authorError, type BuildError } from '../build-error.ts'
import {
  boundNames,
  childOf,
  childrenOf,
  DATA_FUNCTIONS,
  declaredNames,
  freeNames,
  type Node,
  nameAt,
  parseModule,
  withoutQuery,
} from '../source/source.ts'

/** Changes page files (`isPage`) in the browser bundle only. */
export function stripDataFunctions(isPage: (id: string) => boolean): Plugin {
  return {
    name: 'portico:strip-data-functions',
    enforce: 'pre',
    transform(code, id) {
      const path = withoutQuery(id)
      if (this.environment.config.consumer !== 'client' || !isPage(path)) return
      return strip(code, path)
    },
  }
}

interface Page {
  code: string
  path: string
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
  const parts = body.flatMap((statement) => partsOf(statement, { code, path }))
  const data = parts.filter(({ fate }) => fate === 'data')
  if (data.length === 0) return
  const used = reach(
    parts.filter(({ fate }) => fate === 'fixed'),
    parts,
  )
  // SECURITY: a property of a data function, set in a statement of its own, would keep the function in the browser.
  const kept = data.find((part) => used.has(part))
  if (kept)
    throw refusal({ code, path }, kept.node, 'the page may not use a data function; the browser has none of them')
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

function partsOf(statement: Node, page: Page): Part[] {
  switch (statement.type) {
    case 'ImportDeclaration':
      return [importPart(statement)]
    case 'ExportAllDeclaration':
      if (statement.exportKind !== 'type')
        throw refusal(page, statement, 'a page must name its exports; "export *" could hide a data function')
      return [partOf(statement, statement, 'fixed')]
    case 'ExportNamedDeclaration': {
      const declaration = childOf(statement, 'declaration')
      return declaration
        ? declarationParts(statement, declaration, (names) => fateOfExport(names, declaration, page))
        : specifierParts(statement)
    }
    default:
      return declarationParts(statement, statement, () => 'free')
  }
}

function partOf(
  statement: Node,
  node: Node,
  fate: Part['fate'],
  declares: readonly string[] = declaredNames(node),
  uses: ReadonlySet<string> = freeNames(node),
): Part {
  return { statement, node, fate, declares, uses }
}

function importPart(statement: Node): Part {
  const specifiers = childrenOf(statement, 'specifiers')
  const locals = specifiers.flatMap((specifier) => boundNames(childOf(specifier, 'local')))
  return partOf(statement, statement, specifiers.length > 0 ? 'free' : 'fixed', locals, new Set())
}

function specifierParts(statement: Node): Part[] {
  return childrenOf(statement, 'specifiers').map((specifier) => {
    const uses = statement.source ? [] : boundNames(childOf(specifier, 'local'))
    const isData = DATA_FUNCTIONS.has(nameAt(specifier, 'exported') ?? '')
    return partOf(statement, specifier, isData ? 'data' : 'fixed', [], new Set(uses))
  })
}

function declarationParts(
  statement: Node,
  declaration: Node,
  fateOf: (names: readonly string[]) => Part['fate'],
): Part[] {
  if (declaration.type === 'VariableDeclaration')
    return childrenOf(declaration, 'declarations').map((declarator) => {
      const names = boundNames(childOf(declarator, 'id'))
      return partOf(statement, declarator, fateOf(names), names)
    })
  const isDeclaration = /^(Function|Class)Declaration$|^TS/.test(declaration.type)
  return [partOf(statement, statement, isDeclaration ? fateOf(declaredNames(declaration)) : 'fixed')]
}

function fateOfExport(names: readonly string[], node: Node, page: Page): Part['fate'] {
  const data = names.filter((name) => DATA_FUNCTIONS.has(name))
  if (data.length === 0) return 'fixed'
  if (data.length === names.length) return 'data'
  throw refusal(page, node, `${names.join(', ')}: a data function must not share a pattern with other exports`)
}

function refusal({ code, path }: Page, { start }: Node, rule: string): BuildError {
  return authorError({ file: path, at: { code, offset: start }, rule, docs: 'dataFunctions' })
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
  const specifiers = childrenOf(node, 'specifiers')
  const rest = specifiers.filter((specifier) => needed.has(nameAt(specifier, 'local') ?? ''))
  const source = childOf(node, 'source')
  if (!source || rest.length === specifiers.length) return
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
  // The text after the source (`with { type: 'json' }`) is kept.
  text.update(node.start, source.start, `import ${parts.join(', ')} from `)
}
