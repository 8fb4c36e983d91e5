// Limits a selector of styled-jsx to the elements that have a class.

/**
 * The selector with the class on each of its compounds, except those with `:global()` and `&`.
 *
 * @example scopeSelector('p > .a:hover', '.jsx-1') // 'p.jsx-1 > .a.jsx-1:hover'
 */
export function scopeSelector(selector: string, scope: string): string {
  const parts = splitCompounds(selector.trim())
  return parts
    .map((part) => {
      if (COMBINATOR.test(part[0] ?? '')) return part
      return GLOBAL.test(part) ? withoutGlobal(part, parts.length === 1) : scopeCompound(part, scope)
    })
    .join('')
}

const COMBINATOR = /[\s>+~]/

/** Compounds and the combinators between them, in order. */
function splitCompounds(selector: string): string[] {
  const parts: string[] = []
  let isBetween: boolean | undefined
  for (const { text, depth } of charactersOf(selector)) {
    const isCombining = depth === 0 && COMBINATOR.test(text)
    if (isCombining === isBetween) parts.push(`${parts.pop()}${text}`)
    else parts.push(text)
    isBetween = isCombining
  }
  return parts
}

function scopeCompound(compound: string, scope: string): string {
  if (compound.includes('&')) return compound
  let end = 0
  for (const { text, depth } of charactersOf(compound)) {
    if (depth === 0 && text === ':') break
    end += text.length
  }
  const simple = compound.slice(0, end)
  const pseudo = compound.slice(end)
  // `::selection` alone is that of every element, as in Next.js.
  if (simple === '' && pseudo.startsWith('::')) return compound
  return (simple === '*' ? '' : simple) + scope + pseudo
}

const GLOBAL = /:global\(/

/** The compound with the content of each `:global()` in its place. */
function withoutGlobal(compound: string, isWhole = false): string {
  const start = compound.search(GLOBAL)
  if (start < 0) return compound
  const open = start + ':global'.length
  let end = open
  for (const { text, depth } of charactersOf(compound.slice(open))) {
    if (depth === 0 && end > open) break
    end += text.length
  }
  const content = compound.slice(open + 1, end - 1).trim()
  const rest = compound.slice(end)
  const isAlone = start === 0 && rest === ''
  const needsBrackets = isAlone ? !isWhole && content.includes(',') : /[\s,>+~]/.test(content)
  return compound.slice(0, start) + (needsBrackets ? `:is(${content})` : content) + withoutGlobal(rest)
}

/** The characters of a selector, an escape as one. `depth`: of the brackets around the character. */
function* charactersOf(selector: string): Generator<{ text: string; depth: number }> {
  let depth = 0
  let quote = ''
  for (let index = 0; index < selector.length; index++) {
    const character = selector[index] ?? ''
    const text = character === '\\' ? selector.slice(index, index + 2) : character
    index += text.length - 1
    if (quote !== '') {
      if (text === quote) quote = ''
    } else if (depth > 0 && (text === '"' || text === "'")) quote = text
    else if (text === ')' || text === ']') depth--
    yield { text, depth: quote === '' && (text === ')' || text === ']') ? depth + 1 : depth }
    if (quote === '' && (text === '(' || text === '[')) depth++
  }
}
