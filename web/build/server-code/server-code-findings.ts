// The imports of server code that are part of a browser bundle after tree shaking and minification, each with the chain of
// imports from a page (F2).

import { readFileSync } from 'node:fs'
import { basename, isAbsolute, resolve } from 'node:path'
import type { Rolldown } from 'vite'
import {
  isInPackage,
  isServerFile,
  labelOf,
  packageOf,
  type ServerCodeFinding,
  type ServerNames,
} from '../bundle-sources/bundle-sources.ts'
import { isShared } from '../framework-files.ts'
import {
  boundNames,
  childOf,
  childrenOf,
  findNode,
  isScript,
  type Node,
  nameAt,
  nameOf,
  nodesIn,
  parseModule,
  withoutQuery,
} from '../source/source.ts'
import { globalRule, hasMarker, markerOf, type ServerImport, undefinedRule } from './stubs.ts'

export interface BrowserOutput {
  bundle: Rolldown.OutputBundle
  /** By module id. */
  stubs: ReadonlyMap<string, ServerImport>
  infoOf: (id: string) => Pick<Rolldown.ModuleInfo, 'importers' | 'dynamicImporters' | 'isEntry'> | null
}

export function readFindings(appDir: string, output: BrowserOutput): ServerCodeFinding[] {
  const chunks = Object.values(output.bundle).filter((file) => file.type === 'chunk')
  const code = reachableCode(chunks)
  const modules = new Map(chunks.flatMap((chunk) => Object.entries(chunk.modules)))
  const findings: ServerCodeFinding[] = []
  for (const [id, entry] of output.stubs) {
    // Markers are exact; a package's stub has none, because its text would be sent to browsers.
    const isThere = hasMarker(entry) ? code.some((text) => text.includes(markerOf(id))) : modules.has(id)
    if (!isThere) continue
    const files = chainTo(id, output, modules)
      .slice(0, -1)
      .map(withoutQuery)
      // The framework's entry and virtual modules are no files of the author.
      .filter((file) => isAbsolute(file) && !isShared(file))
    findings.push(findingOf(appDir, entry, files, modules))
  }
  return findings.sort((a, b) => (a.message < b.message ? -1 : 1))
}

/**
 * Files of server code that the browser bundle publishes as they are: `new URL('…', import.meta.url)` and `url()` of
 * stylesheets import no module.
 */
export function readPublished(appDir: string, bundle: Rolldown.OutputBundle, mode: ServerNames): ServerCodeFinding[] {
  const names = Object.values(bundle).flatMap((file) => (file.type === 'asset' ? file.originalFileNames : []))
  return [...new Set(names)].sort().flatMap((name): ServerCodeFinding[] => {
    const importer = resolve(appDir, name)
    if (!isServerFile(appDir, importer, mode)) return []
    const label = labelOf(appDir, importer)
    const rule = 'name it by new URL() or url() in server code only'
    const message = `${label}: is server code, and the browser bundle would publish this file; ${rule}`
    return [{ kind: 'error', importer, start: undefined, message }]
  })
}

type RenderedModules = ReadonlyMap<string, { code: string | null }>

/** The code of the chunks that a browser can load: minification may remove the last `import()` of a chunk. */
function reachableCode(chunks: readonly Rolldown.OutputChunk[]): string[] {
  const found = new Set(chunks.filter(({ isEntry }) => isEntry))
  for (const chunk of found)
    for (const other of chunks) if (!found.has(other) && chunk.code.includes(basename(other.fileName))) found.add(other)
  return [...found].map(({ code }) => code)
}

/** The module ids from an entry to a module: the shortest way, through modules of the bundle if there is one. */
function chainTo(id: string, { infoOf }: BrowserOutput, modules: RenderedModules): string[] {
  const search = (isAllowed: (id: string) => boolean): string[] | undefined => {
    const seen = new Set([id])
    const queue = [[id]]
    for (const chain of queue) {
      const info = infoOf(chain[0]!)
      if (!info || info.isEntry) return chain
      for (const next of [...info.importers, ...info.dynamicImporters])
        if (!seen.has(next) && isAllowed(next)) {
          seen.add(next)
          queue.push([next, ...chain])
        }
    }
    return undefined
  }
  return search((next) => modules.has(next)) ?? search(() => true) ?? [id]
}

function findingOf(
  appDir: string,
  entry: ServerImport,
  files: readonly string[],
  modules: RenderedModules,
): ServerCodeFinding {
  const { importer, target, start } = entry
  const path = [...files.map((file) => labelOf(appDir, file)), target].join(' → ')
  const where = labelOf(appDir, importer)
  if (entry.kind === 'silent') return { kind: 'stubbed', importer, start, message: packageOf(importer) ?? where }
  if (entry.kind === 'environment') {
    return { kind: 'warning', importer, start, message: `${where}: ${undefinedRule(entry.specifier)}: ${path}` }
  }
  if (entry.kind === 'own') {
    const or = /^(node:)?crypto$/.test(target) ? ', or, in a site of Next.js, npm install crypto-browserify' : ''
    const remedy = `use it in data functions, actions and API handlers only${or}`
    const rule =
      globalRule(entry.specifier) ??
      `imports ${target}, which is server code, and the browser loads this file; ${remedy}`
    return { kind: 'error', importer, start, message: `${where}: ${rule}: ${path}` }
  }
  const remedy = `add browserStubs: ['${packageOf(importer)}'] to portico.config.ts if the package works without it`
  if (runsOnLoad(entry, files, modules.get(importer)?.code ?? ''))
    return {
      kind: 'error',
      importer,
      start,
      message: `${where}: runs ${target} when it loads, but a browser has no ${target}; ${remedy}: ${path}`,
    }
  return {
    kind: 'warning',
    importer,
    start,
    message: `${where}: imports ${target}, which is empty in the browser; ${remedy}: ${path}`,
  }
}

/**
 * Whether loading the page surely runs the imported builtin: the importer uses it outside of functions and conditions,
 * and every CommonJS module of the chain is required outside of functions and conditions.
 */
function runsOnLoad({ importer, specifier }: ServerImport, files: readonly string[], rendered: string): boolean {
  const isLoaded = files.every((file, index) => {
    const next = files[index + 1]
    return (
      next === undefined ||
      !isInPackage(file) ||
      (isScript(file) && requiresOnLoad(readFileSync(file, 'utf8'), file, next))
    )
  })
  return isLoaded && isScript(importer) && isUsedOnLoad(readFileSync(importer, 'utf8'), importer, specifier, rendered)
}

/** The warnings of a build, one line each, and the entries of `browserStubs` that have no effect. */
export function serverCodeNotes(findings: readonly ServerCodeFinding[], browserStubs: readonly string[]): string[] {
  const stubbed = new Set(findings.flatMap(({ kind, message }) => (kind === 'stubbed' ? [message] : [])))
  const unused = browserStubs.filter((name) => !stubbed.has(name))
  return [
    ...findings.flatMap(({ kind, message }) => (kind === 'warning' ? [`Warning: ${message}`] : [])),
    ...unused.map(
      (name) =>
        `Warning: browserStubs: "${name}" has no effect; no module of it imports server code in the browser bundle`,
    ),
  ]
}

// What a module of a package does while it loads, as far as its text proves it: only code outside of functions, conditions,
// loops and `try` counts, because all other code may never run in a browser.

/**
 * Whether loading a module fails when an imported module is empty: the module calls, constructs, extends or reads into a
 * member of it. `rendered` is the module's code after tree shaking, which may have removed a class.
 */
export function isUsedOnLoad(code: string, file: string, specifier: string, rendered: string): boolean {
  const body = parseModule(code, file)
  const depthOf = createDepths(body, specifier)
  const isFault = (node: Node): boolean => {
    switch (node.type) {
      case 'CallExpression':
      case 'NewExpression':
      case 'TaggedTemplateExpression':
        // Tree shaking may remove a call that is marked as pure.
        return depthOf(childOf(node, 'callee') ?? childOf(node, 'tag')) !== undefined && !isPure(code, node)
      case 'MemberExpression':
        return depthOf(childOf(node, 'object')) === 1
      case 'ClassDeclaration':
      case 'ClassExpression':
        return depthOf(childOf(node, 'superClass')) !== undefined && /\bextends\b/.test(rendered)
      default:
        return false
    }
  }
  return evaluatedNodes(body).some(isFault)
}

/** Whether loading a module surely loads the next one (absolute path): by an import or a plain `require`. */
export function requiresOnLoad(code: string, file: string, next: string): boolean {
  const body = parseModule(code, file)
  const imported = body.flatMap((node) => childrenOf(node, 'source'))
  const plain = new Set(evaluatedNodes(body))
  const requires: Node[] = []
  for (const statement of body)
    findNode(statement, (node) => requiredSource(node) !== undefined && requires.push(node) < 0)
  // A specifier may mean another file of the same package: then one in a condition may be the one that loads the file.
  const found = requires.filter((node) => mayBe(nameOf(requiredSource(node)!), next))
  return (
    imported.some((source) => mayBe(nameOf(source), next)) ||
    (found.length > 0 && found.every((node) => plain.has(node)))
  )
}

/** Depth of an expression in an imported module: 0 is the module, 1 a member; undefined for any other expression. */
function createDepths(body: readonly Node[], specifier: string): (node: Node | undefined) => 0 | 1 | undefined {
  const depths = new Map<string, 0 | 1>()
  const depthOf = (node: Node | undefined): 0 | 1 | undefined => {
    if (node?.type === 'Identifier') return depths.get(nameOf(node))
    if (node?.type === 'CallExpression') {
      const source = requiredSource(node)
      return source && nameOf(source) === specifier ? 0 : undefined
    }
    if (node?.type !== 'MemberExpression' || node.optional || depthOf(childOf(node, 'object')) !== 0) return undefined
    const name = node.computed ? '' : (nameAt(node, 'property') ?? '')
    if (name === 'default') return 0
    return name in Object.prototype ? undefined : 1
  }
  for (const node of body)
    if (node.type === 'ImportDeclaration' && nameAt(node, 'source') === specifier)
      for (const each of childrenOf(node, 'specifiers'))
        depths.set(nameAt(each, 'local') ?? '', each.type === 'ImportSpecifier' ? 1 : 0)
    else if (node.type === 'VariableDeclaration')
      for (const declarator of childrenOf(node, 'declarations')) {
        const id = childOf(declarator, 'id')
        const depth = depthOf(childOf(declarator, 'init'))
        if (depth === undefined || !id) continue
        if (id.type === 'Identifier') depths.set(nameOf(id), depth)
        else if (depth === 0) for (const name of plainMembers(id)) depths.set(name, 1)
      }
  // A name that gets another value later may have any value.
  for (const statement of body)
    findNode(statement, (node) => {
      if (node.type === 'AssignmentExpression')
        for (const name of boundNames(childOf(node, 'left'))) depths.delete(name)
      return false
    })
  return depthOf
}

/** The names of a pattern that have no default value. */
function plainMembers(pattern: Node): string[] {
  return childrenOf(pattern, 'properties').flatMap((member) => {
    const value = childOf(member, 'value')
    return value?.type === 'Identifier' ? boundNames(value) : []
  })
}

/** The literal of `require('…')`. */
function requiredSource(node: Node): Node | undefined {
  if (node.type !== 'CallExpression' || nameAt(node, 'callee') !== 'require') return undefined
  const [argument] = childrenOf(node, 'arguments')
  return argument?.type === 'Literal' ? argument : undefined
}

const EVALUATED_STATEMENT = /^(ExpressionStatement|VariableDeclaration|ClassDeclaration|Export\w+Declaration)$/
const NOT_EVALUATED = /Function|^(ClassBody|ChainExpression|AssignmentPattern|ImportExpression|BlockStatement)$/

/** The nodes that a module evaluates whenever it loads. */
function evaluatedNodes(body: readonly Node[]): Node[] {
  const found: Node[] = []
  const visit = (node: Node): void => {
    if (NOT_EVALUATED.test(node.type)) return
    found.push(node)
    for (const [key, value] of Object.entries(node))
      if (!isConditional(node, key)) for (const child of nodesIn(value)) visit(child)
  }
  for (const statement of body) if (EVALUATED_STATEMENT.test(statement.type)) visit(statement)
  return found
}

function isConditional({ type, operator }: Node, key: string): boolean {
  if (type === 'ConditionalExpression') return key !== 'test'
  if (type === 'LogicalExpression') return key === 'right'
  return type === 'AssignmentExpression' && key === 'right' && /^(\|\||&&|\?\?)=$/.test(String(operator))
}

function isPure(code: string, { start }: Node): boolean {
  return /__PURE__\s*\*\/\s*$/.test(code.slice(Math.max(0, start - 40), start))
}

/** Whether a specifier may mean a file; the file is known to be imported. */
function mayBe(specifier: string, file: string): boolean {
  const path = file.replace(/(\/index)?\.\w+$/, '')
  if (!specifier.startsWith('.')) return file.includes(`/node_modules/${specifier.match(/^(@[^/]+\/)?[^/]+/)?.[0]}/`)
  const rest = specifier.replace(/^(\.{1,2}(\/|$))+/, '').replace(/(\/index)?\.\w+$|\/$/, '')
  return rest !== '' && path.endsWith(`/${rest}`)
}
