// styled-jsx (X12): puts the rules of `<style jsx>` and of templates of `styled-jsx/css` into a component, and their
// classes on the elements around it. The component is web/runtime/next/styled-jsx.tsx.

import MagicString from 'magic-string'
import type { Plugin } from 'vite'
import { isSiteModule } from '../../../bundle-sources/bundle-sources.ts'
import { isShared } from '../../../framework-files.ts'
import type { ModeSettings } from '../../../mode.ts'
import {
  appRelative,
  childOf,
  childrenOf,
  isScript,
  type Node,
  nameAt,
  nodesIn,
  parseModule,
  scopeOf,
  withoutQuery,
} from '../../../source/source.ts'
import type { NextPlugin } from '../next-plugin.ts'
import { classEdit } from './class-names.ts'
import {
  isStyle,
  namesOfCss,
  refusal,
  type StyledModule,
  type StyleSheet,
  sheetOf,
  sheetOfElement,
} from './style-sheets.ts'

/** A cheap test: most modules have no styles. */
const STYLES = /<style[^>]*\sjsx\b|\bstyled-jsx\/css\b/

export const styledJsx: NextPlugin = {
  plugins: (appDir, sources) => [compiledStyles(appDir, () => sources().next)],
}

/** First of the transforms: the others keep JSX. */
function compiledStyles(appDir: string, settings: () => ModeSettings): Plugin {
  return {
    name: 'portico:styled-jsx',
    enforce: 'pre',
    transform(code, id) {
      const path = withoutQuery(id)
      // Packages are published compiled, except those in TypeScript or JSX.
      const isSource = isSiteModule(path) || (isScript(path) && !isShared(path) && /sx$/.test(path))
      if (!settings().on || !isSource || !STYLES.test(code)) return undefined
      const minify = this.environment.mode !== 'dev'
      return compileStyles({ code, path, file: appRelative(appDir, path), minify })
    },
  }
}

interface ModuleSource extends Omit<StyledModule, 'component'> {
  path: string
}

/** The module with components in the place of its styles; undefined if it has none. Throws BuildError. */
export function compileStyles({ path, ...source }: ModuleSource) {
  const { code } = source
  const body = parseModule(code, path)
  const text = new MagicString(code)
  const component = freeName('_JSXStyle', code)
  const module: StyledModule = { ...source, component }
  const state: State = {
    module,
    text,
    css: namesOfCss(body),
    element: freeName('_jsxElement', code),
    hasElement: false,
  }
  for (const statement of body) visit(statement, { names: new Set(), isInFunction: false }, state)
  if (!text.hasChanged()) return undefined
  // At the end: directives must remain the first statements, and the lines of the module as they are.
  text.append(`\nimport ${component} from "styled-jsx/style"\n`)
  if (state.hasElement) text.append(`import { createElement as ${state.element} } from "react"\n`)
  return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
}

interface State {
  module: StyledModule
  text: MagicString
  /** What a local name is of `styled-jsx/css`. */
  css: ReadonlyMap<string, string>
  /** The local name of React's createElement. */
  element: string
  hasElement: boolean
}

/** What is around a node. */
interface Around {
  /** Names that functions around the node declare. */
  names: ReadonlySet<string>
  isInFunction: boolean
  /** The styles of the elements. */
  styles?: ReadonlyMap<Node, StyleSheet>
}

function visit(node: Node, around: Around, state: State): void {
  if (node.type === 'TaggedTemplateExpression' && replaceTemplate(node, around, state)) return
  if (isStyle(node)) {
    replaceStyle(node, around.styles ?? stylesOf([node], state), state)
    return
  }
  const inner = aroundChildren(node, around, state)
  if (node.type === 'JSXElement' && inner.styles) {
    const edit = classEdit(node, [...inner.styles.values()], inner.names, state.module.code)
    if (edit) replaceClass(edit, state.text)
  }
  for (const value of Object.values(node)) for (const child of nodesIn(value)) visit(child, inner, state)
}

function aroundChildren(node: Node, around: Around, state: State): Around {
  const own = scopeOf(node)
  const isInFunction = around.isInFunction || /Function/.test(node.type)
  const names = own.length > 0 ? new Set([...around.names, ...own]) : around.names
  const found =
    around.styles || !/^JSX(Element|Fragment)$/.test(node.type) ? [] : childrenOf(node, 'children').filter(isStyle)
  const styles = found.length > 0 ? stylesOf(found, state) : around.styles
  return { names, isInFunction, ...(styles && { styles }) }
}

function stylesOf(elements: readonly Node[], { module }: State): ReadonlyMap<Node, StyleSheet> {
  return new Map(elements.map((element) => [element, sheetOfElement(element, module)]))
}

function replaceStyle(node: Node, styles: ReadonlyMap<Node, StyleSheet>, { module, text }: State): void {
  const sheet = styles.get(node)
  if (!sheet)
    throw refusal(
      module,
      node,
      '<style jsx> must be a child of the outermost element that has one, not of an element in it',
    )
  const { component } = module
  const dynamic = sheet.dynamic === undefined ? '' : ` dynamic={${sheet.dynamic}}`
  const key = keyOf(node, module)
  const jsx = `<${component}${key} id={${sheet.id}}${dynamic}>{${sheet.rules}}</${component}>`
  text.update(node.start, node.end, withLines(jsx, module.code.slice(node.start, node.end), `</${component}>`))
}

function keyOf(node: Node, { code }: StyledModule): string {
  const opening = childOf(node, 'openingElement')
  const key = opening && childrenOf(opening, 'attributes').find((each) => nameAt(each, 'name') === 'key')
  return key ? ` ${code.slice(key.start, key.end)}` : ''
}

/** The text with the lines of the one that it replaces: they are before its end. */
function withLines(text: string, replaced: string, end: string): string {
  const lines = replaced.split('\n').length - text.split('\n').length
  return lines > 0 ? text.slice(0, -end.length) + '\n'.repeat(lines) + end : text
}

function replaceClass(edit: NonNullable<ReturnType<typeof classEdit>>, text: MagicString): void {
  for (const { start, end } of edit.removed) text.remove(start, end)
  for (const [at, added] of edit.added) text.appendLeft(at, added)
}

/** Whether the template is one of `styled-jsx/css`. */
function replaceTemplate(node: Node, { isInFunction }: Around, state: State): boolean {
  const { module, text } = state
  const kind = kindOf(childOf(node, 'tag'), state.css)
  const quasi = childOf(node, 'quasi')
  if (kind === undefined || !quasi) return false
  const isApart = kind !== 'resolve'
  if (isApart && isInFunction && childrenOf(quasi, 'expressions').length > 0)
    throw refusal(
      module,
      node,
      'a style with values of a function must be css.resolve or <style jsx>: css is for values of the module',
    )
  const sheet = sheetOf(quasi, { isGlobal: kind === 'global', isApart }, module)
  state.hasElement ||= !isApart
  const dynamic = sheet.dynamic === undefined ? '' : `, dynamic: ${sheet.dynamic}`
  const result = isApart
    ? `Object.assign(new String(${sheet.rules}), { __hash: ${sheet.id} })`
    : `{ className: ${sheet.className}, styles: ${state.element}(${module.component}, { id: ${sheet.id}${dynamic} }, ${sheet.rules}) }`
  text.update(node.start, node.end, withLines(`(${result})`, module.code.slice(node.start, node.end), ')'))
  return true
}

function kindOf(tag: Node | undefined, names: ReadonlyMap<string, string>): string | undefined {
  if (tag?.type === 'Identifier') return names.get(String(tag.name))
  const object = tag?.type === 'MemberExpression' ? childOf(tag, 'object') : undefined
  if (!tag || object?.type !== 'Identifier' || names.get(String(object.name)) !== 'css') return undefined
  const name = nameAt(tag, 'property')
  return name === 'global' || name === 'resolve' ? name : undefined
}

function freeName(name: string, code: string): string {
  return code.includes(name) ? freeName(`${name}_`, code) : name
}
