// Reads of `process.env` in the browser's form of the site's own modules. Each becomes a call of a module that
// server-code.ts replaces, so that builds and development refuse the read where a browser could run it (F2).

import MagicString from 'magic-string'
import { childOf, childrenOf, type Node, nameAt, nodesIn, parseModule } from '../folder/module-syntax.ts'
import type { NextSettings } from '../next/fields/next-settings.ts'
import { freeNames } from './free-names.ts'

/** Begin of the specifiers; the name of the variable follows, or nothing. */
export const PROCESS_ENV = 'virtual:portico/process-env/'
type ModeOfReads = Pick<NextSettings, 'on' | 'defines'>

/** A cheap test: most modules read no variable. */
export const READS_ENVIRONMENT = /\bprocess\s*\??\.\s*env\b/

/**
 * The module with calls in the place of reads; undefined when it reads nothing but NODE_ENV and `defines` of compatibility
 * mode, expressions that the bundler replaces.
 */
export function replaceProcessEnv(code: string, path: string, next: ModeOfReads = { on: false, defines: {} }) {
  if (!READS_ENVIRONMENT.test(code)) return
  const body = parseModule(code, path)
  // A module may have a variable of this name.
  const imported = body.flatMap((node) => childrenOf(node, 'specifiers')).map((node) => nameAt(node, 'local'))
  const isFree = freeNames({ type: 'BlockStatement', start: 0, end: code.length, body }).has('process')
  if (!isFree || imported.includes('process')) return
  const text = new MagicString(code)
  const names = new Set<string>()
  const visit = (node: Node) => {
    // Browsers of Next.js have an object without values.
    if (isTypeOfProcess(node)) return void text.update(node.start, node.end, next.on ? '"object"' : '"undefined"')
    const name = nameOfRead(node)
    if (name !== undefined) {
      if (name === 'NODE_ENV' || (next.on && name === 'NEXT_RUNTIME')) return
      if (Object.hasOwn(next.defines, `process.env.${name}`)) return
      names.add(name)
      // Without effects: the bundler removes a read that nothing uses.
      return void text.update(node.start, node.end, `(/* @__PURE__ */ ${bindingOf(name)}())`)
    }
    if (node.type === 'AssignmentExpression') return visitAll(node.right)
    for (const value of Object.values(node)) visitAll(value)
  }
  const visitAll = (value: unknown) => nodesIn(value).forEach(visit)
  visitAll(body)
  if (names.size === 0 && !(next.on && text.hasChanged())) return
  // At the end: directives must remain the first statements.
  for (const name of names) text.append(`\nimport ${bindingOf(name)} from ${JSON.stringify(PROCESS_ENV + name)}`)
  return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
}

function bindingOf(name: string): string {
  return `__portico_env_${name}`
}

/** The name of the variable that an expression reads; empty for all of `process.env`. */
function nameOfRead(node: Node): string | undefined {
  if (node.type !== 'MemberExpression') return undefined
  const object = childOf(node, 'object')
  if (!node.computed && object && isProcessEnv(object)) return nameAt(node, 'property')
  return isProcessEnv(node) ? '' : undefined
}

function isProcessEnv(node: Node): boolean {
  const isMember = node.type === 'MemberExpression' && !node.computed
  return isMember && nameAt(node, 'property') === 'env' && isProcess(childOf(node, 'object'))
}

/** A guard of a module that runs on both sides. */
function isTypeOfProcess(node: Node): boolean {
  return node.type === 'UnaryExpression' && node.operator === 'typeof' && isProcess(childOf(node, 'argument'))
}

function isProcess(node: Node | undefined): boolean {
  return node?.type === 'Identifier' && node.name === 'process'
}
