// The value of an expression that is written out: texts, numbers, lists and objects of them.

import { childOf, childrenOf, type Node, nameAt } from '../../folder/module-syntax.ts'

/** Undefined for an expression that must be run. */
export function literalValue(node: Node): unknown {
  switch (node.type) {
    case 'Literal':
      return node.value
    case 'TemplateLiteral':
      return childrenOf(node, 'expressions').length === 0 ? templateText(node) : undefined
    case 'UnaryExpression': {
      const value = literalValue(childOf(node, 'argument') ?? node)
      return node.operator === '-' && typeof value === 'number' ? -value : undefined
    }
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return literalValue(childOf(node, 'expression') ?? { ...node, type: '' })
    case 'ArrayExpression':
      return whole(childrenOf(node, 'elements').map(literalValue))
    case 'ObjectExpression':
      return objectValue(node)
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

function objectValue(node: Node): Record<string, unknown> | undefined {
  const entries = childrenOf(node, 'properties').map((property) => {
    const value = childOf(property, 'value')
    const isPlain = property.type === 'Property' && !property.computed && value
    return [nameAt(property, 'key') ?? '', isPlain ? literalValue(value) : undefined] as const
  })
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries)
}
