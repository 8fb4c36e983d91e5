// The value of an expression that is written out: texts, numbers, lists and objects of them.

import { childOf, childrenOf, type Node, nameAt, resolveValue } from './module-syntax.ts'

/** Values of local names, as declaredValues returns them. */
type Declared = ReadonlyMap<string, Node>
const NO_NAMES: Declared = new Map()

/** Undefined for an expression that must be run; a name of `declared` is as its value. */
export function literalValue(given: Node, declared: Declared = NO_NAMES): unknown {
  const node = resolveValue(given, declared) ?? given
  switch (node.type) {
    case 'Literal':
      return node.value
    case 'TemplateLiteral':
      return childrenOf(node, 'expressions').length === 0 ? templateText(node) : undefined
    case 'UnaryExpression': {
      const value = literalValue(childOf(node, 'argument') ?? { ...node, type: '' }, declared)
      return node.operator === '-' && typeof value === 'number' ? -value : undefined
    }
    case 'ArrayExpression':
      return whole(childrenOf(node, 'elements').map((element) => literalValue(element, declared)))
    case 'ObjectExpression':
      return objectValue(node, declared)
    default:
      return undefined
  }
}

function templateText(node: Node): string {
  const [quasi] = childrenOf(node, 'quasis')
  // The parser has the text of a template in a plain object.
  return String((quasi?.value as { cooked?: string } | undefined)?.cooked ?? '')
}

function whole(values: unknown[]): unknown[] | undefined {
  return values.includes(undefined) ? undefined : values
}

function objectValue(node: Node, declared: Declared): Record<string, unknown> | undefined {
  const entries = childrenOf(node, 'properties').map((property) => {
    const value = childOf(property, 'value')
    const isPlain = property.type === 'Property' && !property.computed && value
    return [nameAt(property, 'key') ?? '', isPlain ? literalValue(value, declared) : undefined] as const
  })
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries)
}
