// Finds links of next/link whose child is an `<a>` (X2): development throws an error for one, as in Next.js, and a build
// renders an anchor in an anchor, which browsers take apart. The build names the place of each.

import type { Plugin } from 'vite'
import { authorError } from '../../../build-error.ts'
import { isSiteModule } from '../../../bundle-sources/bundle-sources.ts'
import {
  appRelative,
  childOf,
  childrenOf,
  isMarkdown,
  isScript,
  type Node,
  nameAt,
  nameOf,
  nodesIn,
  parseModule,
  withoutQuery,
} from '../../../source/source.ts'
import type { NextPlugin } from '../next-plugin.ts'

interface LinkAnchorsOptions {
  isOn: () => boolean
  /** Receives a line for each place, once for each bundle that has the module. */
  note: (line: string) => void
}

export const linkAnchors: NextPlugin = {
  plugins: (appDir, sources) => [
    notedAnchors(appDir, { isOn: () => sources().next.on, note: (line) => void sources().notes.add(line) }),
  ],
}

/** Before the transforms that change lines or replace JSX. */
function notedAnchors(appDir: string, { isOn, note }: LinkAnchorsOptions): Plugin {
  return {
    name: 'portico:link-anchors',
    enforce: 'pre',
    transform(code, id) {
      const path = withoutQuery(id)
      if (!isOn() || this.environment.mode === 'dev') return
      if (!isScript(path) || isMarkdown(path) || !isSiteModule(path)) return
      for (const line of anchorsInLinks(code, path, appRelative(appDir, path))) note(line)
    },
  }
}

const RULE =
  '<Link> with an <a> as its child renders an anchor in an anchor, for which development throws an error; remove the <a>, or add legacyBehavior to the link'

/** A line for each link with an `<a>` as its only child, with file, line and column of the link. */
export function anchorsInLinks(code: string, path: string, file: string): string[] {
  // A cheap test: most modules have no link, or no anchor.
  if (!/\bnext\/link\b/.test(code) || !/<a[\s>]/.test(code)) return []
  const body = parseModule(code, path)
  const names = namesOfLink(body)
  const lines: string[] = []
  const visit = (node: Node): void => {
    if (isLinkWithAnchor(node, names)) {
      lines.push(authorError({ file, at: { code, offset: node.start }, rule: RULE }).message)
    }
    for (const value of Object.values(node)) nodesIn(value).forEach(visit)
  }
  body.forEach(visit)
  return lines
}

function namesOfLink(body: readonly Node[]): ReadonlySet<string> {
  return new Set(body.flatMap((node) => (node.type === 'ImportDeclaration' ? importedAs(node) : requiredAs(node))))
}

function importedAs(node: Node): string[] {
  if (!isLink(childOf(node, 'source'))) return []
  const isDefault = (each: Node) => each.type === 'ImportDefaultSpecifier' || nameAt(each, 'imported') === 'default'
  return childrenOf(node, 'specifiers')
    .filter(isDefault)
    .map((each) => nameAt(each, 'local') ?? '')
}

/** `require` returns the component, which has itself as `default`. */
function requiredAs(statement: Node): string[] {
  return childrenOf(statement, 'declarations').flatMap((declarator) => {
    const [id, init] = [childOf(declarator, 'id'), childOf(declarator, 'init')]
    if (id?.type === 'ObjectPattern' && isRequired(init))
      return childrenOf(id, 'properties')
        .filter((member) => nameAt(member, 'key') === 'default')
        .map((member) => nameAt(member, 'value') ?? '')
    const module =
      init?.type === 'MemberExpression' && nameAt(init, 'property') === 'default' ? childOf(init, 'object') : init
    return id?.type === 'Identifier' && isRequired(module) ? [nameOf(id)] : []
  })
}

function isRequired(node: Node | undefined): boolean {
  return node?.type === 'CallExpression' && nameAt(node, 'callee') === 'require' && isLink(childOf(node, 'arguments'))
}

function isLink(specifier: Node | undefined): boolean {
  return /^next\/link(\.js)?$/.test(String(specifier?.value))
}

function isLinkWithAnchor(node: Node, links: ReadonlySet<string>): boolean {
  const opening = node.type === 'JSXElement' ? childOf(node, 'openingElement') : undefined
  if (!opening || !links.has(tagOf(node))) return false
  const attributes = childrenOf(opening, 'attributes')
  // A spread may contain `legacyBehavior`.
  const isUnknown = attributes.some(({ type }) => type === 'JSXSpreadAttribute')
  if (isUnknown || attributes.some(mayBeLegacy)) return false
  const [child, ...others] = childrenOf(node, 'children').filter(isRendered)
  const element = child?.type === 'JSXExpressionContainer' ? childOf(child, 'expression') : child
  return others.length === 0 && element?.type === 'JSXElement' && tagOf(element) === 'a'
}

function mayBeLegacy(attribute: Node): boolean {
  if (nameAt(attribute, 'name') !== 'legacyBehavior') return false
  const value = childOf(attribute, 'value')
  return !value || childOf(value, 'expression')?.value !== false
}

function tagOf(element: Node): string {
  const opening = childOf(element, 'openingElement')
  const name = opening && childOf(opening, 'name')
  return name?.type === 'JSXIdentifier' ? String(name.name) : ''
}

/** JSX has no child for a comment, and none for white space that contains the end of a line. */
function isRendered(child: Node): boolean {
  if (child.type === 'JSXText') return !/^\s*\n\s*$/.test(String(child.value))
  return childOf(child, 'expression')?.type !== 'JSXEmptyExpression'
}
