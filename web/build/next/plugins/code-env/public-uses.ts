// Uses of `process.env` in browser code of an app of Next.js that mean something else than the author may expect: a value of
// the start decides nothing during the build, and names that the code does not write out have no value (X6).

import type { VariableUses } from '../../../adapter.ts'
import type { ModeSettings } from '../../../mode.ts'
import { childOf, childrenOf, type Node, nameAt } from '../../../source/source.ts'
import { environmentUses, PUBLIC_NAME, publicReads, unwrapped } from './code-env.ts'

type Mode = Pick<ModeSettings, 'codeEnv' | 'defines'>

export function findPublicUses(code: string, path: string, next: Mode): VariableUses {
  const rules = new Map<string, number[]>()
  const add = (rule: string, { start }: Node) => rules.set(rule, [...(rules.get(rule) ?? []), start])
  const built = next.codeEnv
  for (const { name, node, parents } of built ? publicReads(code, path) : []) {
    if (Object.hasOwn(next.defines, `process.env.${name}`)) continue
    if (!Object.hasOwn(built ?? {}, name)) add(unsetRule(name), node)
    if (isCondition(node, parents)) add(branchRule(name), node)
  }
  let hasOthers = false
  for (const { node, parents } of /\bprocess\b/.test(code) ? environmentUses(code, path) : []) {
    const { outer, around } = unwrapped(node, parents)
    const found = useOf(outer, around[0])
    if (found === 'other') hasOthers = true
    else for (const rule of found) add(rule, node)
  }
  return { rules, hasOthers }
}

/** The rules that a use of `process.env` breaks; none for a member with a literal name. */
function useOf(env: Node, parent: Node | undefined): string[] | 'other' {
  if (parent?.type === 'MemberExpression' && parent.object === env) {
    const isLiteral = !parent.computed || childOf(parent, 'property')?.type === 'Literal'
    return isLiteral ? [] : [COMPUTED_RULE]
  }
  const pattern =
    parent?.type === 'VariableDeclarator'
      ? childOf(parent, 'id')
      : parent?.type === 'AssignmentExpression' && parent.right === env
        ? childOf(parent, 'left')
        : undefined
  if (pattern?.type !== 'ObjectPattern') return 'other'
  const members = childrenOf(pattern, 'properties')
  const names = members.flatMap((member) => nameAt(member, 'key') ?? []).filter((name) => PUBLIC_NAME.test(name))
  return names.length === members.length && names.length > 0 ? names.map(destructuredRule) : 'other'
}

const COMPUTED_RULE =
  'process.env[…] has no value in the browser, as in Next.js: write each name, as in process.env.NEXT_PUBLIC_NAME'

function destructuredRule(name: string): string {
  return `takes ${name} from process.env, which is empty in the browser, as in Next.js: write process.env.${name}`
}

function unsetRule(name: string): string {
  return `reads process.env.${name}, which has no value here: it is undefined unless the services start with one`
}

function branchRule(name: string): string {
  return `process.env.${name} decides between branches, and is read at start: browsers receive both; with inlineEnv: true in portico.config.ts the build leaves one out, as in Next.js`
}

const COMPARED = /^[!=]==?$/

/** Whether an expression, alone, negated or compared, is what a branch depends on. */
function isCondition(node: Node, parents: readonly Node[]): boolean {
  const { outer, around } = unwrapped(node, parents)
  const [parent, ...rest] = around
  switch (parent?.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return parent.test === outer
    case 'LogicalExpression':
      return (parent.operator === '&&' && parent.left === outer) || isCondition(parent, rest)
    case 'UnaryExpression':
      return parent.operator === '!' && isCondition(parent, rest)
    case 'BinaryExpression':
      return COMPARED.test(String(parent.operator)) && isCondition(parent, rest)
    default:
      return false
  }
}
