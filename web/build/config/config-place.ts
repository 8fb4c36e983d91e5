// Where a configuration file sets a field, found in its source. The file is not run.

import {
  childOf,
  childrenOf,
  declaredValues,
  findNode,
  type Node,
  nameAt,
  parseModule,
  resolveValue,
} from '../folder/module-syntax.ts'

/**
 * The offset of a field such as `redirects[0].source`, or of the innermost field above it that the source writes out;
 * undefined for a field that it does not have.
 */
export function offsetOfField(code: string, file: string, field: string): number | undefined {
  const body = parseModule(code, file)
  const declared = new Map(body.flatMap(declaredValues))
  const [first = '', ...below] = field.match(/[^.[\]]+/g) ?? []
  const isField = (node: Node) => node.type === 'Property' && node.computed !== true && nameAt(node, 'key') === first
  const found = body.map((node) => findNode(node, isField)).find(Boolean)
  let last = found
  let value = resolveValue(found && childOf(found, 'value'), declared)
  for (const name of below) {
    const next = value && memberOf(value, name)
    if (!next) break
    last = next
    value = resolveValue(next.type === 'Property' ? childOf(next, 'value') : next, declared)
  }
  return last?.start
}

/** A property of an object, or an item of a list; also of the one that a function returns. */
function memberOf(value: Node, name: string): Node | undefined {
  if (value.type === 'ObjectExpression')
    return childrenOf(value, 'properties').find((each) => each.computed !== true && nameAt(each, 'key') === name)
  if (value.type === 'ArrayExpression') return childrenOf(value, 'elements')[Number(name)]
  const list = findNode(value, ({ type }) => type === 'ArrayExpression')
  return /Function/.test(value.type) && list ? memberOf(list, name) : undefined
}
