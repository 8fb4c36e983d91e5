// The globals of Node in the browser's form of the site's own modules: `process`, `Buffer` and `global`. Each use becomes
// that of an imported name. server-code.ts replaces the import, so that builds and development refuse what a browser could
// run (F2); compatibility mode provides them, as Next.js does (node-globals.ts of the bundles).

import MagicString from 'magic-string'
import { type ModeSettings, ownSettings } from '../adapter/mode-settings.ts'
import { type Node, nameAt, nameOf, parseModule } from '../folder/module-syntax.ts'
import { type FreeUse, freeUses } from './free-names.ts'

/** Begin of the specifiers of reads of `process.env`; the name of the variable follows, or nothing. */
export const PROCESS_ENV = 'virtual:portico/process-env/'
/** Begin of the specifiers of globals; the name follows. */
export const NODE_GLOBAL = 'virtual:portico/node-global/'
type Mode = Pick<ModeSettings, 'on' | 'hasNodeGlobals' | 'defines' | 'codeEnv'>

/** What `typeof` gives for each in browsers of Next.js. */
export const NODE_GLOBALS = { process: 'object', Buffer: 'function', global: 'object' } as const
type GlobalName = keyof typeof NODE_GLOBALS
const NAMES: ReadonlySet<string> = new Set(Object.keys(NODE_GLOBALS))

/** A cheap test: most modules have none of these names. */
export const NAMES_GLOBALS = new RegExp(`\\b(?:${[...NAMES].join('|')})\\b`)

/** A piece of code that is replaced. */
interface Replacement {
  start: number
  end: number
  text: string
  /** The module that the text needs. */
  specifier?: string
}

/**
 * The module with imported names in the place of globals; undefined when it uses nothing but NODE_ENV and `defines` of
 * compatibility mode, expressions that the bundler replaces.
 */
export function replaceNodeGlobals(code: string, path: string, next: Mode = ownSettings()) {
  const replacements = replacementsIn(code, path, next)
  if (replacements.length === 0) return
  const text = new MagicString(code)
  for (const { start, end, text: replacement } of replacements) text.update(start, end, replacement)
  // At the end: directives must remain the first statements.
  const specifiers = new Set(replacements.flatMap(({ specifier }) => specifier ?? []))
  for (const specifier of specifiers) text.append(`\nimport ${clauseOf(specifier)} from ${JSON.stringify(specifier)}`)
  return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
}

/** What replaceNodeGlobals would import, each with the offset of its first use. */
export function nodeGlobalsIn(code: string, path: string, next: Mode): Map<string, number> {
  const found = new Map<string, number>()
  for (const { specifier, start } of replacementsIn(code, path, next))
    if (specifier !== undefined && !found.has(specifier)) found.set(specifier, start)
  return found
}

function replacementsIn(code: string, path: string, next: Mode): Replacement[] {
  if (!NAMES_GLOBALS.test(code)) return []
  return freeUses(parseModule(code, path), NAMES).flatMap((use) => replacementOf(use, next) ?? [])
}

function replacementOf({ node, parents }: FreeUse, next: Mode): Replacement | undefined {
  // The name of an element.
  if (node.type !== 'Identifier') return undefined
  // A use is an identifier of this name.
  const name = nameOf(node) as GlobalName
  const [parent, around] = parents
  const at = ({ start, end }: Node) => ({ start, end })
  // A guard of a module that runs on both sides.
  if (parent?.type === 'UnaryExpression' && parent.operator === 'typeof')
    return { ...at(parent), text: JSON.stringify(next.hasNodeGlobals ? NODE_GLOBALS[name] : 'undefined') }
  const member = name === 'process' && parent ? memberOf(parent, node) : undefined
  if (parent && member === 'env') {
    const variable = around ? memberOf(around, parent) : undefined
    const read = around && variable !== undefined ? around : parent
    if (!isWritten(read, parents.slice(parents.indexOf(read) + 1))) return readOf(read, variable ?? '', next)
  }
  if (parent && member === 'browser' && next.hasNodeGlobals && !isWritten(parent, parents.slice(1)))
    return { ...at(parent), text: 'true' }
  const before = parent?.type === 'Property' && parent.shorthand === true ? `${name}: ` : ''
  const specifier = NODE_GLOBAL + name
  return name === 'global' && next.hasNodeGlobals
    ? { ...at(node), text: `${before}globalThis` }
    : { ...at(node), text: before + bindingOf(specifier), specifier }
}

/** Reading a variable; undefined for one that the bundler replaces. */
function readOf({ start, end }: Node, variable: string, next: Mode): Replacement | undefined {
  if (variable === 'NODE_ENV' || (next.on && variable === 'NEXT_RUNTIME')) return undefined
  if (Object.hasOwn(next.defines, `process.env.${variable}`)) return undefined
  // code-env.ts replaces it.
  if (next.codeEnv && variable.startsWith('NEXT_PUBLIC_')) return undefined
  const specifier = PROCESS_ENV + variable
  // Without effects: the bundler removes a read that nothing uses.
  return { start, end, text: `(/* @__PURE__ */ ${bindingOf(specifier)}())`, specifier }
}

/** The name of the member of an object that an expression means; undefined for any other expression. */
function memberOf(expression: Node, object: Node): string | undefined {
  const isMember = expression.type === 'MemberExpression' && !expression.computed && expression.object === object
  return isMember ? nameAt(expression, 'property') : undefined
}

/** Whether code gives an expression another value. */
export function isWritten(expression: Node, [parent, around]: readonly Node[]): boolean {
  switch (parent?.type) {
    case 'AssignmentExpression':
    case 'AssignmentPattern':
    case 'ForInStatement':
    case 'ForOfStatement':
      return parent.left === expression
    case 'UpdateExpression':
    case 'ArrayPattern':
    case 'RestElement':
      return true
    case 'UnaryExpression':
      return parent.operator === 'delete'
    case 'Property':
      return around?.type === 'ObjectPattern' && parent.value === expression
    default:
      return false
  }
}

function bindingOf(specifier: string): string {
  return specifier.startsWith(PROCESS_ENV)
    ? `__portico_env_${specifier.slice(PROCESS_ENV.length)}`
    : `__portico_${specifier.slice(NODE_GLOBAL.length)}`
}

/** What an import of a specifier declares. */
function clauseOf(specifier: string): string {
  const binding = bindingOf(specifier)
  return specifier === `${NODE_GLOBAL}Buffer` ? `{ Buffer as ${binding} }` : binding
}
