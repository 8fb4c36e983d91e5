// The globals of Node in browser code: `process`, `Buffer` and `global`. In the site's own modules each use becomes that of
// an imported name, which server-code.ts replaces, so that builds and development refuse what a browser could run (F2);
// compatibility mode provides them, as Next.js does.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import MagicString from 'magic-string'
import type { Plugin, Rolldown } from 'vite'
import { type ModeSettings, ownSettings } from '../mode.ts'
import { type FreeUse, freeUses, type Node, nameAt, nameOf, parseModule, withoutQuery } from '../source/source.ts'

/** Begin of the specifiers of reads of `process.env`; the name of the variable follows, or nothing. */
export const PROCESS_ENV = 'virtual:portico/process-env/'
/** Begin of the specifiers of globals; the name follows. */
export const NODE_GLOBAL = 'virtual:portico/node-global/'
type Mode = Pick<ModeSettings, 'on' | 'hasNodeGlobals' | 'defines' | 'codeEnv'>

/** What `typeof` gives for each in browsers of Next.js. */
const NODE_GLOBALS = { process: 'object', Buffer: 'function', global: 'object' } as const
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

// As Next.js, the bundler puts packages in the place of the globals that a module uses freely. Outside of compatibility mode
// only packages get them, because the site's own modules may use none, and a package that asks by `typeof` whether a global
// is there finds none.

/** The module that has each; `global` is another name for `globalThis`. */
const PACKAGES: Readonly<Record<string, string>> = { process: 'process/browser.js', Buffer: 'buffer/' }
/** A file from which the packages of Portico are found. */
const HERE = fileURLToPath(import.meta.url)
/** Begin of the name by which a module that declares a global itself gets the one of the package. */
const PROVIDED = '__portico_provided_'
/** In the place of a global for a module that runs without it. */
const ABSENT = '\0portico:absent-global'

type GlobalsMode = Pick<ModeSettings, 'hasNodeGlobals'>

/**
 * Options of the bundler, for bundles of browsers and for packages that development bundles in advance. The bundler
 * replaces guards first and removes what is behind them, then it imports the globals that are left.
 */
export function globalsOf({ hasNodeGlobals }: GlobalsMode): NonNullable<Rolldown.InputOptions['transform']> {
  const types = Object.entries(NODE_GLOBALS).map(([name, type]) => [
    `typeof ${name}`,
    hasNodeGlobals ? `"${type}"` : '"undefined"',
  ])
  return {
    define: {
      ...Object.fromEntries(types),
      global: 'globalThis',
      'process.browser': 'true',
      // React uses it where it finds `process`: with the package, the chunk of React would be larger in every site.
      'process.emit': '(() => {})',
    },
    inject: Object.fromEntries(
      Object.keys(PACKAGES).flatMap((name) => {
        const from: [string, string] = [NODE_GLOBAL + name, name === 'process' ? 'default' : name]
        return [
          [name, from],
          [PROVIDED + name, from],
        ]
      }),
    ),
  }
}

/** Finds what globalsOf and replaceNodeGlobals import. */
export function nodeGlobals(mode: () => GlobalsMode): Plugin {
  return {
    name: 'portico:node-globals',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'client',
    resolveId: {
      filter: { id: new RegExp(`^${NODE_GLOBAL}`) },
      async handler(source, importer, options) {
        const name = source.slice(NODE_GLOBAL.length)
        if (!mode().hasNodeGlobals && importer && guards(withoutQuery(importer), name))
          return { id: ABSENT, moduleSideEffects: false }
        const found = await this.resolve(PACKAGES[name] ?? '', HERE, { ...options, skipSelf: true })
        return found && { id: found.id, moduleSideEffects: false }
      },
    },
    load: {
      filter: { id: new RegExp(`^${ABSENT}$`) },
      handler: () => 'export default undefined\nexport const Buffer = undefined',
    },
    transform: { filter: { id: /node_modules/, code: WRITES }, handler: withOwn },
  }
}

/** Whether a module asks by `typeof` for a global. */
function guards(path: string, name: string): boolean {
  return existsSync(path) && new RegExp(`\\btypeof[\\s(]+${name}\\b`).test(readFileSync(path, 'utf8'))
}

/** A statement that gives a global another value, or a declaration in the same form. */
const WRITES = /(?:^|[;{}()&|?:])\s*(?:process|Buffer)\s*=[^=>]/

/** Declares the globals that a module of a package assigns: an import cannot be assigned. */
function withOwn(code: string): { code: string; map: null } | undefined {
  const names = Object.keys(PACKAGES).filter(
    (name) =>
      new RegExp(WRITES.source.replace('process|Buffer', name)).test(code) &&
      !new RegExp(`\\b(?:var|let|const|class|function|import)\\b[^;=()]*\\b${name}\\b`).test(code),
  )
  // On one line: positions of later lines stay.
  const declared = names.map((name) => `${name} = ${PROVIDED}${name}`).join(', ')
  return names.length > 0 ? { code: `var ${declared}; ${code}`, map: null } : undefined
}
