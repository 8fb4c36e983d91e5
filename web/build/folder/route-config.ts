// The export `config` of pages and API handlers, read without running the file: a member that Portico would ignore is
// refused (F2). The actions service checks values that are not literals when it loads the handler.

import { parseApiConfig } from '@portico/shared/wire/routing/api-config.ts'
import type { Semantics } from '@portico/shared/wire/semantics.ts'
import { BuildError } from '../build-error.ts'
import { type FolderRules, ownSettings } from '../mode.ts'
import { childOf, childrenOf, declaredValues, type Node, nameAt, parseModule, resolveValue } from '../source/source.ts'

type Rules = Pick<FolderRules, 'acceptsHostMembers' | 'takesForms'>

/** Throws BuildError with a line for each fault of a handler's config. */
export function checkApiConfig(code: string, file: string, semantics: Semantics = {}): void {
  const found = readConfig(code, file)
  if (!found) return
  const { value, faults, refuse } = found
  parseApiConfig(value, semantics, refuse)
  throwFaults(faults)
}

const PAGE_REMEDIES: ReadonlyMap<string, string> = new Map([
  ['api', 'belongs to handlers in pages/api; remove the member'],
  ['amp', 'is not supported; remove the member'],
  ['maxDuration', 'is not supported: a data function may run for 10 s; remove the member'],
  ['runtime', 'is not supported: every page is rendered in Node; remove the member'],
  ['regions', 'is not supported: the operator decides where the services run; remove the member'],
  ['unstable_runtimeJS', 'is not supported: every page is hydrated; remove the member'],
])

/** A page's config. Only compatibility mode has a member: its pages take forms. */
export interface PageConfig {
  /** Forms of other sites may post to the page. */
  crossOrigin?: true
}

/** Throws BuildError with a line for each other member of a page's config but those of Next.js's hosts. */
export function readPageConfig(
  code: string,
  file: string,
  { acceptsHostMembers, takesForms }: Rules = ownSettings(),
): PageConfig {
  const found = readConfig(code, file)
  if (!found) return {}
  const { value, faults, refuse } = found
  for (const [name, member] of Object.entries(value)) {
    if (acceptsHostMembers && WITHOUT_EFFECT.has(name)) continue
    if (!takesForms || name !== 'crossOrigin')
      refuse(`config.${name}`, member, PAGE_REMEDIES.get(name) ?? 'is not a member; rename your own export')
    else if (typeof member !== 'boolean') refuse('config.crossOrigin', member, 'must be true or false')
    else if (member && !/\bgetServerSideProps\b/.test(code))
      refuse('config.crossOrigin', member, 'has no effect without getServerSideProps, which reads forms; remove it')
  }
  throwFaults(faults)
  return value.crossOrigin === true ? { crossOrigin: true } : {}
}

/** Members that compatibility mode accepts and reports. */
const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ['runtime', 'runs on Node'],
  ['maxDuration', 'data functions may run for 10 s, handlers for the time of config.timeoutMs'],
  ['regions', 'the operator decides where the services run'],
  ['amp', 'pages are not AMP, as in Next.js 16'],
])

/** The members of the exported `config`, and the exports of the same names, that have no effect in compatibility mode. */
export function ignoredMembers(code: string, file: string): { field: string; note: string }[] {
  if (![...WITHOUT_EFFECT.keys()].some((name) => code.includes(name))) return []
  const members = Object.keys(readConfig(code, file)?.value ?? {}).map((name) => ({ name, field: `config.${name}` }))
  const exports = parseModule(code, file)
    .filter(({ type, exportKind }) => type === 'ExportNamedDeclaration' && exportKind !== 'type')
    .flatMap(declaredValues)
    .map(([name]) => ({ name, field: `export ${name}` }))
  return [...members, ...exports].flatMap(({ name, field }) => {
    const note = WITHOUT_EFFECT.get(name)
    return note === undefined ? [] : [{ field, note }]
  })
}

interface ConfigExport {
  /** Without the values that are not literals. */
  value: Record<string, unknown>
  faults: string[]
  refuse: (member: string, value: unknown, rule: string) => void
}

function readConfig(code: string, file: string): ConfigExport | undefined {
  if (!/\bconfig\b/.test(code)) return undefined
  const body = parseModule(code, file)
  const found = body.flatMap(exportedConfig)
  if (found.length === 0) return undefined
  const faults: string[] = []
  const refuse: ConfigExport['refuse'] = (member, value, rule) =>
    faults.push(`${file}: ${member}${value === undefined ? '' : ` = ${JSON.stringify(value)}`}: ${rule}`)
  const declared = new Map(body.flatMap(declaredValues))
  const node = resolveValue(found[0], declared)
  if (node?.type === 'ObjectExpression') return { value: readObject('config', node, declared, refuse), faults, refuse }
  refuse('config', undefined, `${LITERAL}; rename your own export`)
  return { value: {}, faults, refuse }
}

const LITERAL = 'must be an object literal in this file'

/** The value of an exported `config`, undefined for one of another module; no item for another statement. */
export function exportedConfig(statement: Node): (Node | undefined)[] {
  if (statement.type !== 'ExportNamedDeclaration' || statement.exportKind === 'type') return []
  const own = declaredValues(statement).filter(([name]) => name === 'config')
  const named = childrenOf(statement, 'specifiers').filter(
    (specifier) => nameAt(specifier, 'exported') === 'config' && specifier.exportKind !== 'type',
  )
  return [
    ...own.map(([, value]) => value),
    ...named.map((specifier) => (statement.source ? undefined : childOf(specifier, 'local'))),
  ]
}

type Declared = ReadonlyMap<string, Node>

/** The deepest member, `config.api.bodyParser.sizeLimit`; names of objects may refer to each other in a cycle. */
const MOST_PARTS = 4

function readObject(path: string, node: Node, declared: Declared, refuse: ConfigExport['refuse']) {
  const value: Record<string, unknown> = {}
  for (const property of childrenOf(node, 'properties')) {
    const name = nameAt(property, 'key')
    if (property.type !== 'Property' || property.computed || name === undefined) {
      refuse(path, undefined, `${LITERAL}, with its members written out`)
      continue
    }
    const member = `${path}.${name}`
    const given = resolveValue(childOf(property, 'value'), declared)
    if (given?.type === 'Literal') value[name] = given.value
    else if (given?.type === 'ObjectExpression' && member.split('.').length <= MOST_PARTS)
      value[name] = readObject(member, given, declared, refuse)
    else value[name] = undefined
    if (name === 'api' && value.api === undefined) refuse(member, undefined, LITERAL)
  }
  return value
}

function throwFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new BuildError(faults)
}
