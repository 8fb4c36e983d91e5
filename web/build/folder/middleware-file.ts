// The file of middleware (X15): where it is, what it exports, and the requests that its `config.matcher` names, read
// without running the file.

import type { MiddlewareMatcher } from '@portico/shared/wire/build-output.ts'
import { authorError, BuildError } from '../build-error.ts'
import { parseMatcher, parseRules, type Refuse, withNotEmpty } from '../config/config.ts'
import type { FolderRules } from '../mode.ts'
import {
  childOf,
  childrenOf,
  declaredValues,
  exportedNames,
  exportedSources,
  literalValue,
  type Node,
  nameAt,
  parseModule,
  resolveValue,
} from '../source/source.ts'
import { exportedConfig } from './route-config.ts'

export interface MiddlewareFile {
  /** App-relative. */
  file: string
  /** The named export that is called; without it the default export is. */
  name: 'middleware' | 'proxy'
  matchers: readonly MiddlewareMatcher[]
}

/** Where middleware may be. */
export interface MiddlewarePlace {
  pagesDir: string | undefined
  rules: Pick<FolderRules, 'pageExtensions' | 'hasOtherPlaces'>
}

const NAMED = /^(?:src\/)?(middleware|proxy)\.(.+)$/
const NESTED = /^(?:src\/)?pages\/(?:.*\/)?_middleware\.[tj]sx?$/
const SCRIPT = /^([cm]?[jt]s|[jt]sx)$/

/** The name of the export if the file is the site's middleware. Throws BuildError for a name or a place that is not read. */
export function middlewareName(file: string, { pagesDir, rules }: MiddlewarePlace): MiddlewareFile['name'] | undefined {
  const folder = pagesDir === 'src/pages' ? 'src/' : ''
  if (NESTED.test(file)) throw refusal(file, `middleware is one file: move the code to ${folder}middleware.ts`)
  const [, name, ending = ''] = NAMED.exec(file) ?? []
  const isRead = rules.pageExtensions.includes(ending)
  if (name === undefined || (!isRead && !SCRIPT.test(ending))) return undefined
  if (name === 'proxy' && !rules.hasOtherPlaces)
    throw refusal(file, 'is a name of Next.js: rename the file to middleware.ts, and the function in it to middleware')
  if (!isRead)
    throw refusal(file, `is not read as middleware: its name must end with .${rules.pageExtensions.join(', .')}`)
  if (file !== `${folder}${name}.${ending}`)
    throw refusal(file, `is not read: middleware must be next to the pages, as ${folder}${name}.${ending}`)
  return name as MiddlewareFile['name']
}

type ConfigRules = Pick<FolderRules, 'acceptsHostMembers' | 'hasNotEmptyConditions'>

/** Reads the module. Throws BuildError with a line for each fault. */
export function readMiddleware(
  code: string,
  file: string,
  name: MiddlewareFile['name'],
  { acceptsHostMembers, hasNotEmptyConditions }: ConfigRules,
): MiddlewareFile {
  const body = parseModule(code, file)
  // The bundler reports a module that cannot be parsed; until then the middleware is for every path.
  if (body.length === 0) return { file, name, matchers: EVERY_PATH }
  const names = exportedNames(body)
  if (!names.has(name) && !names.has('default') && exportedSources(body).length === 0)
    throw refusal(file, `must export a function named ${name}, or a function as default`)
  const config = readConfig(body, { code, file, acceptsHostMembers })
  const matchers = config.matchers ?? EVERY_PATH
  return { file, name, matchers: hasNotEmptyConditions ? matchers.map(withNotEmpty) : matchers }
}

const EVERY_PATH: readonly MiddlewareMatcher[] = [{ source: '/:path*' }]
/** Members of Next.js for hosts; middleware runs in the renderer, on Node. */
const HOSTS: readonly string[] = ['runtime', 'regions', 'unstable_allowDynamic', 'maxDuration']

/** The members that have no effect in compatibility mode, and the exports of the same names. */
export function ignoredMiddlewareMembers(code: string, file: string): string[] {
  const body = parseModule(code, file)
  const members = membersOf(body).map(([name]) => name)
  const exports = [...exportedNames(body)].filter((name) => HOSTS.includes(name))
  return [
    ...members.filter((name) => HOSTS.includes(name)).map((name) => `config.${name}`),
    ...exports.map((name) => `export ${name}`),
  ]
}

/** The line of the build and of `portico check`. */
export function middlewareLine({ file, matchers }: MiddlewareFile): string {
  return `Middleware: ${file}, ${matchers.length} ${matchers.length === 1 ? 'matcher' : 'matchers'}`
}

interface Source {
  code: string
  file: string
  acceptsHostMembers: boolean
}

function readConfig(
  body: readonly Node[],
  { code, file, acceptsHostMembers }: Source,
): { matchers?: MiddlewareMatcher[] } {
  const found = body.flatMap(exportedConfig)
  if (found.length === 0) return {}
  const declared = constantsOf(body)
  const node = resolveValue(found[0], declared)
  if (node?.type !== 'ObjectExpression') throw refusal(file, `config ${LITERAL}`)
  const faults: string[] = []
  const at = { code, offset: node.start }
  const refuse: Refuse = (field, value, rule) => {
    const text = value === undefined ? '' : ` = ${JSON.stringify(value)}`
    faults.push(...authorError({ file, at, rule: `${field}${text}: ${rule}`, docs: 'middleware' }).faults)
  }
  let matchers: MiddlewareMatcher[] | undefined
  for (const [name, value] of membersOf(body)) {
    if (name === 'matcher') matchers = parseMatchers(value && literalValue(value, declared), refuse)
    else if (!acceptsHostMembers || !HOSTS.includes(name))
      refuse(
        `config.${name}`,
        undefined,
        HOSTS.includes(name)
          ? 'has no effect: middleware runs on Node; remove the member'
          : 'is not a member; known: matcher',
      )
  }
  if (faults.length > 0) throw new BuildError(faults)
  return matchers ? { matchers } : {}
}

const LITERAL = 'must be written as literals in this file: the build reads it without running the file'

/** SECURITY: a variable may get another value while the module runs, which the build would not see. */
function constantsOf(body: readonly Node[]): Map<string, Node> {
  const isConstant = (node: Node) => (childOf(node, 'declaration') ?? node).kind === 'const'
  return new Map(body.filter(isConstant).flatMap(declaredValues))
}

/** The members of `config`; the value is undefined for one that is not written out. */
function membersOf(body: readonly Node[]): [string, Node | undefined][] {
  const declared = constantsOf(body)
  const node = resolveValue(body.flatMap(exportedConfig)[0], declared)
  if (node?.type !== 'ObjectExpression') return []
  return childrenOf(node, 'properties').map((property) => [
    property.type === 'Property' && !property.computed ? (nameAt(property, 'key') ?? '') : '…',
    property.type === 'Property' ? childOf(property, 'value') : undefined,
  ])
}

/** SECURITY: a matcher that is left out would be a page without its guard, so that every other value is a fault. */
function parseMatchers(value: unknown, refuse: Refuse): MiddlewareMatcher[] {
  const field = 'config.matcher'
  if (value === undefined) {
    refuse(field, value, LITERAL)
    return []
  }
  if (Array.isArray(value) && value.length === 0) refuse(field, value, 'must name at least one path')
  const isOne = !Array.isArray(value)
  const given: unknown[] = isOne ? [value] : value
  const rules = given.map((each) => (typeof each === 'string' ? { source: each } : each))
  const own: Refuse = isOne ? (name, ...fault) => refuse(name.replace(/\[0\](\.source)?/, ''), ...fault) : refuse
  return parseRules(field, rules, own, parseMatcher)
}

function refusal(file: string, rule: string): BuildError {
  return authorError({ file, rule, docs: 'middleware' })
}
