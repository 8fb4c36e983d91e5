// The classes of styles on an element of JSX.

import { childOf, findNode, type Node, nameAt } from '../../../source/source.ts'
import { attributesOf, type StyleSheet, sourceOf } from './style-sheets.ts'

/** Changes of the source text. */
interface ClassEdit {
  removed: readonly Pick<Node, 'start' | 'end'>[]
  added: readonly (readonly [at: number, text: string])[]
}

/**
 * The classes on an element, before those that it has. Undefined for a component, which passes no class on. `names`: those
 * that functions around the element declare; one of them may be the name of an element.
 */
export function classEdit(
  element: Node,
  sheets: readonly StyleSheet[],
  names: ReadonlySet<string>,
  code: string,
): ClassEdit | undefined {
  const opening = childOf(element, 'openingElement')
  const tag = opening && childOf(opening, 'name')
  const classes = classesOf(sheets)
  if (tag?.type !== 'JSXIdentifier' || classes === undefined) return undefined
  const name = String(tag.name)
  if (name === 'style' || (/^[A-Z_$]/.test(name) && !names.has(name))) return undefined
  const attributes = attributesOf(element)
  const own = attributes.findLast((each) => nameAt(each, 'name') === 'className')
  if (attributes.some(({ type }) => type === 'JSXSpreadAttribute')) return besideSpread(attributes, own, classes, code)
  if (!own) {
    const at = ((opening && childOf(opening, 'typeArguments')) ?? tag).end
    return { removed: [], added: [[at, ` className={${classes}}`]] }
  }
  const value = childOf(own, 'value')
  const expression = value?.type === 'JSXExpressionContainer' ? childOf(value, 'expression') : undefined
  if (!value || !expression) return { removed: [own], added: [[own.end, classAttribute(classes, textOf(value))]] }
  // The expression stays in its place: it may contain JSX.
  return {
    removed: [],
    added: [
      [expression.start, `${classes} + " " + ((`],
      [expression.end, ') || "")'],
    ],
  }
}

/** The last of the attributes that has a class counts, as in React. */
function besideSpread(attributes: readonly Node[], own: Node | undefined, classes: string, code: string): ClassEdit {
  const values = attributes.flatMap((attribute) => {
    if (attribute === own) return [ownValue(attribute, code)]
    const argument = attribute.type === 'JSXSpreadAttribute' ? childOf(attribute, 'argument') : undefined
    return argument && !findNode(argument, hasEffect) ? [`(${sourceOf(argument, { code })})?.className`] : []
  })
  const at = attributes.at(-1)?.end ?? 0
  const added =
    values.length > 0 ? classAttribute(classes, `(${values.reverse().join(' ?? ')})`) : `className={${classes}}`
  return { removed: own ? [own] : [], added: [[at, ` ${added}`]] }
}

/** The expression is evaluated once more for its class; as in Next.js, the class of one with effects is lost. */
function hasEffect({ type }: Node): boolean {
  return /^(Call|New|Await|Yield|Assignment|Update|Import|TaggedTemplate)Expression$/.test(type)
}

function classAttribute(classes: string, own: string): string {
  return `className={${classes} + " " + (${own} || "")}`
}

function ownValue(attribute: Node, code: string): string {
  const value = childOf(attribute, 'value')
  const expression = value?.type === 'JSXExpressionContainer' ? childOf(value, 'expression') : undefined
  return expression ? `(${sourceOf(expression, { code })})` : textOf(value)
}

/** A text in quotes, or no text. The parser leaves the references of HTML in it. */
function textOf(value: Node | undefined): string {
  const text = String(value?.value ?? '').replace(/&(amp|lt|gt|quot|#39);/g, (reference) => REFERENCES[reference] ?? '')
  return JSON.stringify(text)
}

const REFERENCES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

function classesOf(sheets: readonly StyleSheet[]): string | undefined {
  const classes = [...new Set(sheets.flatMap(({ className }) => className ?? []))]
  return classes.length > 0 ? classes.join(' + " " + ') : undefined
}
