// The names that a module of CommonJS exports, as far as its source says them.

import {
  childOf,
  childrenOf,
  declaredValues,
  exportedNames,
  type Node,
  nameAt,
  nodesIn,
  resolveValue,
} from './module-syntax.ts'

/** Whether a module has an import or export; one with neither may be CommonJS. */
export function isEsModule(body: readonly Node[]): boolean {
  return body.some(({ type }) => /^(Import|Export)/.test(type))
}

/** The exports of a module of either kind, types excepted. */
export function namesOfModule(body: readonly Node[]): Set<string> {
  return isEsModule(body) ? exportedNames(body) : commonJsNames(body)
}

/** `default` for a module that sets `module.exports` to anything but an object of names without it. */
export function commonJsNames(body: readonly Node[]): Set<string> {
  const declared = new Map(body.flatMap(declaredValues))
  const names = new Set<string>()
  const visit = (node: Node) => {
    if (node.type === 'AssignmentExpression') {
      const left = childOf(node, 'left')
      const name = left?.type === 'MemberExpression' && isExports(childOf(left, 'object')) ? memberOf(left) : undefined
      if (name !== undefined) names.add(name)
      if (isModuleExports(left))
        for (const each of namesOfValue(resolveValue(childOf(node, 'right'), declared))) names.add(each)
    }
    for (const value of Object.values(node)) nodesIn(value).forEach(visit)
  }
  body.forEach(visit)
  return names
}

function namesOfValue(value: Node | undefined): string[] {
  if (value?.type === 'AssignmentExpression') return namesOfValue(childOf(value, 'right'))
  if (value?.type !== 'ObjectExpression') return ['default']
  return childrenOf(value, 'properties').flatMap((member) => (member.computed ? [] : (nameAt(member, 'key') ?? [])))
}

function isExports(node: Node | undefined): boolean {
  return (node?.type === 'Identifier' && node.name === 'exports') || isModuleExports(node)
}

function isModuleExports(node: Node | undefined): boolean {
  return node?.type === 'MemberExpression' && nameAt(node, 'object') === 'module' && memberOf(node) === 'exports'
}

function memberOf(node: Node): string | undefined {
  const property = childOf(node, 'property')
  if (property?.type === 'Literal') return String(property.value)
  return node.computed ? undefined : nameAt(node, 'property')
}
