// Limits a selector of styled-jsx to the elements that have a class.

import parser, { type Node, type Pseudo } from 'postcss-selector-parser'

/**
 * The selector with the class on each of its compounds, except those with `:global()` and `&`. Throws for text that is no
 * selector.
 *
 * @example scopeSelector('p > .a:hover', '.jsx-1') // 'p.jsx-1 > .a.jsx-1:hover'
 */
export function scopeSelector(selector: string, scope: string): string {
  // Compounds and the combinators between them, in order.
  const parts: Node[][] = []
  for (const node of parser().astSync(selector.trim()).first.nodes) {
    const last = parts.at(-1)
    if (last && !parser.isCombinator(node) && !parser.isCombinator(last[0])) last.push(node)
    else parts.push([node])
  }
  return parts
    .map((part) =>
      part.some(hasGlobal) ? withoutGlobal(part, { isWhole: parts.length === 1 }) : scopePart(part, scope),
    )
    .join('')
}

function scopePart(part: readonly Node[], scope: string): string {
  const [first] = part
  if (parser.isCombinator(first) || part.some(parser.isNesting)) return part.join('')
  // `::selection` alone is that of every element, as in Next.js.
  if (parser.isPseudo(first) && first.value.startsWith('::')) return part.join('')
  const end = part.findIndex((node) => parser.isPseudo(node))
  const simple = part.slice(0, end < 0 ? part.length : end).join('')
  const pseudo = end < 0 ? '' : part.slice(end).join('')
  return (simple === '*' ? '' : simple) + scope + pseudo
}

function isGlobal({ value, length }: Pseudo): boolean {
  return value === ':global' && length > 0
}

function hasGlobal(node: Node): boolean {
  return parser.isPseudo(node) && (isGlobal(node) || node.some((inner) => inner.some(hasGlobal)))
}

/** The compound with the content of each `:global()` in its place. `isWhole`: it is the whole selector. */
function withoutGlobal(compound: readonly Node[], { isWhole }: { isWhole: boolean }): string {
  const textOf = (node: Node): string => {
    if (!parser.isPseudo(node) || !hasGlobal(node)) return String(node)
    if (!isGlobal(node)) return `${node.value}(${node.map((inner) => inner.map(textOf).join('')).join(',')})`
    const isList = node.length > 1
    const isAlone = compound.length === 1 && node === compound[0]
    const needsBrackets = isAlone ? isList && !isWhole : isList || node.first.some(parser.isCombinator)
    const content = node.nodes.join(',').trim()
    return needsBrackets ? `:is(${content})` : content
  }
  return compound.map(textOf).join('')
}
