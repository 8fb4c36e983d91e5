// The rules of one style of styled-jsx, limited to a class. Values of the module are placeholders in the text, which the
// parser of stylesheets reads as names.

import { transform } from 'lightningcss'
import { type ChildNode, parse, type Rule } from 'postcss'
import { scopeSelector } from './scope-selector.ts'

interface ScopeOptions {
  /** Class of the elements; undefined for rules of all elements. */
  className: string | undefined
  minify: boolean
}

/** As Vite's for the stylesheets of a build. */
const TARGETS = Object.fromEntries(
  Object.entries({ chrome: [111], edge: [111], firefox: [114], safari: [16, 4], ios_saf: [16, 4] }).map(
    ([name, [major = 0, minor = 0]]) => [name, (major << 16) | (minor << 8)],
  ),
)
const PLACEHOLDER = /portico-value-\d+-/
/** A value in the place of whole declarations or rules. */
const MIXIN = /@portico-(value|block)-/
/** The semicolon after a block is not the author's. */
const VALUE = /@?portico-value-(\d+)-|@portico-block-(\d+)-;?/g

/** Throws CssSyntaxError of PostCSS for text that is no stylesheet, or has a selector that cannot be read. */
export function scopeCss(text: string, { className, minify }: ScopeOptions): string {
  const root = parse(text)
  if (className !== undefined)
    root.walkRules((rule) => {
      if (!isKeyframe(rule)) scopeRule(rule, `.${className}`)
    })
  return compile(root.toString(), minify)
}

function scopeRule(rule: Rule, scope: string): void {
  try {
    rule.selectors = rule.selectors.map((each) => scopeSelector(each, scope))
  } catch (error) {
    throw rule.error(error instanceof Error ? error.message : String(error))
  }
}

function isKeyframe({ parent }: Rule): boolean {
  // The cast: PostCSS types the parent as any container.
  const around = parent as ChildNode | undefined
  return around?.type === 'atrule' && /keyframes$/i.test(around.name)
}

/** Prefixes and minifies. A text whose values are not names for the compiler stays as it is. */
function compile(text: string, minify: boolean): string {
  const hasValues = PLACEHOLDER.test(text)
  if (MIXIN.test(text)) return text
  try {
    const code = new TextEncoder().encode(text)
    const compiled = transform({ filename: 'style.css', code, minify, targets: TARGETS, errorRecovery: !hasValues })
    const result = new TextDecoder().decode(compiled.code)
    return hasAll(result, text) ? result : text
  } catch {
    return text
  }
}

function hasAll(result: string, text: string): boolean {
  const counts = countsOf(result)
  return [...countsOf(text)].every(([name, count]) => (counts.get(name) ?? 0) >= count)
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [name] of text.matchAll(new RegExp(PLACEHOLDER, 'g'))) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** The text of a template with a placeholder for each of its values. */
export function withPlaceholders(texts: readonly string[]): string {
  let result = ''
  texts.forEach((text, index) => {
    result += text
    const next = texts[index + 1]
    if (next !== undefined) result += placeholder(index, result, next, index + 2 === texts.length)
  })
  return result
}

/** A value that ends its line is a whole declaration or rule. */
function placeholder(index: number, before: string, after: string, isLast: boolean): string {
  const last =
    before
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .trimEnd()
      .at(-1) ?? '{'
  const isEnd = /^[^\S\n]*[;}\n]/.test(after) || (isLast && after.trim() === '')
  if (!'{};'.includes(last) || !isEnd || /^\s*[{,>+~]/.test(after)) return `portico-value-${index}-`
  return /^\s*;/.test(after) ? `@portico-value-${index}-` : `@portico-block-${index}-;`
}

/** The text between the values, and the index of each value. */
export function splitPlaceholders(text: string): { texts: string[]; values: number[] } {
  const texts: string[] = []
  const values: number[] = []
  let from = 0
  for (const match of text.matchAll(VALUE)) {
    texts.push(text.slice(from, match.index))
    values.push(Number(match[1] ?? match[2]))
    from = match.index + match[0].length
  }
  return { texts: [...texts, text.slice(from)], values }
}
