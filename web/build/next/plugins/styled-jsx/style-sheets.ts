// The styles of styled-jsx in a module: `<style jsx>` and templates of `styled-jsx/css`, as expressions that the module has
// in their place.

import { createHash } from 'node:crypto'
import { authorError } from '../../../build-error.ts'
import { childOf, childrenOf, type Node, nameAt, nameOf } from '../../../source/source.ts'
import { scopeCss, splitPlaceholders, withPlaceholders } from './scope-css.ts'

/** A module that has styles. */
export interface StyledModule {
  code: string
  /** App-relative. */
  file: string
  minify: boolean
  /** The name of the component that has the rules of a style. */
  component: string
}

/** Source text of expressions. */
export interface StyleSheet {
  id: string
  rules: string
  /** The values that the rules depend on, as a list. */
  dynamic?: string
  /** The class of the elements; undefined for rules of all elements. */
  className?: string
}

/** `id` and values of a dynamic style, of which the package computes the class. */
const DYNAMIC_CLASS = '__jsx-style-dynamic-selector'

/** The style of an element `<style jsx>`. */
export function sheetOfElement(element: Node, module: StyledModule): StyleSheet {
  const isGlobal = hasAttribute(element, 'global')
  const content = childrenOf(element, 'children').filter(
    (child) => child.type !== 'JSXText' || String(child.value).trim() !== '',
  )
  const expression =
    content.length === 1 && content[0]?.type === 'JSXExpressionContainer'
      ? childOf(content[0], 'expression')
      : undefined
  if (expression?.type === 'Identifier' || expression?.type === 'MemberExpression') {
    const name = sourceOf(expression, module)
    return { id: `${name}.__hash`, rules: name, ...(!isGlobal && { className: `"jsx-" + ${name}.__hash` }) }
  }
  if (expression?.type !== 'TemplateLiteral' && typeof expression?.value !== 'string')
    throw refusal(
      module,
      element,
      '<style jsx> must have one template, text or name of a style: <style jsx>{`p { color: red }`}</style>',
    )
  return sheetOf(expression, { isGlobal, isApart: false }, module)
}

interface SheetOptions {
  isGlobal: boolean
  /** The style is a value of the module: each of its values has the same value in every component. */
  isApart: boolean
}

/** The style of a template or text. */
export function sheetOf(text: Node, { isGlobal, isApart }: SheetOptions, module: StyledModule): StyleSheet {
  const texts = textsOf(text)
  const css = withPlaceholders(texts)
  const values = childrenOf(text, 'expressions').map((value) => sourceOf(value, module))
  const isDynamic = values.length > 0 && !isApart
  // Equal texts of two modules may have other values.
  const id = hashOf([css, isGlobal, ...values, isApart && values.length > 0 ? module.file : ''])
  const rules = rulesOf(text, css, isGlobal ? undefined : isDynamic ? DYNAMIC_CLASS : `jsx-${id}`, module)
  const sheet: StyleSheet = { id: JSON.stringify(id), rules: expressionOf(rules, values) }
  if (isDynamic) sheet.dynamic = `[${values.join(', ')}]`
  if (isGlobal) return sheet
  return {
    ...sheet,
    className: isDynamic ? `${module.component}.dynamic([[${sheet.id}, ${sheet.dynamic}]])` : `"jsx-${id}"`,
  }
}

function rulesOf(text: Node, css: string, className: string | undefined, module: StyledModule): string {
  try {
    return scopeCss(css, { className, minify: module.minify })
  } catch (error) {
    // The cast: the error of PostCSS for text that is no stylesheet.
    const {
      name,
      reason,
      line = 1,
      column = 1,
    } = error as { name?: string; reason?: string; line?: number; column?: number }
    if (name !== 'CssSyntaxError') throw error
    throw refusal(module, placeIn(text, module, { line, column }), `the style is no CSS: ${reason}`)
  }
}

/** A place in the text of a style; it is that of the text itself where values before it have more than one line. */
function placeIn(
  text: Node,
  { code }: StyledModule,
  { line, column }: { line: number; column: number },
): Pick<Node, 'start'> {
  let start = text.start + 1
  for (let rest = line - 1; rest > 0; rest--) start = code.indexOf('\n', start) + 1
  return start > 0 && start + column - 1 < text.end ? { start: start + column - 1 } : text
}

/** As CSS has it: `\\` is written for one backslash, or a single one. */
function textsOf(text: Node): string[] {
  if (text.type !== 'TemplateLiteral') return [String(text.value)]
  return childrenOf(text, 'quasis').map(({ value }) =>
    // The cast: the text of a template, as it is written.
    (value as { raw: string }).raw.replace(/\\([\\`$])/g, '$1'),
  )
}

function expressionOf(rules: string, values: readonly string[]): string {
  const { texts, values: order } = splitPlaceholders(rules)
  if (order.length === 0) return JSON.stringify(rules)
  const parts = texts.map((text, index) => {
    const value = order[index]
    return text.replace(/[\\`]|\$\{/g, '\\$&') + (value === undefined ? '' : `\${${values[value]}}`)
  })
  return `\`${parts.join('')}\``
}

/** Whether an element is a style of styled-jsx. */
export function isStyle(node: Node): boolean {
  const name = node.type === 'JSXElement' ? nameAt(childOf(node, 'openingElement') ?? node, 'name') : undefined
  return name === 'style' && hasAttribute(node, 'jsx')
}

function hasAttribute(element: Node, name: string): boolean {
  return attributesOf(element).some((attribute) => nameAt(attribute, 'name') === name)
}

export function attributesOf(element: Node): Node[] {
  const opening = childOf(element, 'openingElement')
  return opening ? childrenOf(opening, 'attributes') : []
}

export function sourceOf({ start, end }: Node, { code }: Pick<StyledModule, 'code'>): string {
  return code.slice(start, end)
}

export function refusal({ code, file }: StyledModule, { start }: Pick<Node, 'start'>, rule: string): Error {
  return authorError({ file, at: { code, offset: start }, rule })
}

/** The names under which a module has `css`, `css.global` and `css.resolve`. */
export function namesOfCss(body: readonly Node[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const statement of body) {
    if (statement.type !== 'ImportDeclaration' || nameAt(statement, 'source') !== 'styled-jsx/css') continue
    for (const specifier of childrenOf(statement, 'specifiers')) {
      const imported = childOf(specifier, 'imported')
      const name = imported ? nameOf(imported) : 'css'
      names.set(nameAt(specifier, 'local') ?? '', name === 'default' ? 'css' : name)
    }
  }
  return names
}

function hashOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16)
}
