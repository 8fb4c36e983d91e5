// The order of stylesheets: those of a module follow those of the modules that it imports, wherever the import is written.
// A component's styles then come before the styles of every module that uses it, whether the bundler puts the component
// into a chunk of its own or not, and development has the order of a build.

import MagicString from 'magic-string'
import { isCSSRequest, type Plugin } from 'vite'
import { childOf, type Node, parseModule } from '../folder/module-syntax.ts'
import { withoutQuery } from '../folder/source-paths.ts'

/** Changes the modules that `isOwn` selects. */
export function stylesLast(isOwn: (id: string) => boolean): Plugin {
  return {
    name: 'portico:styles-last',
    enforce: 'pre',
    transform: {
      filter: { id: /\.[jt]sx?$/, code: STYLE_IMPORT },
      handler: (code, id) => (isOwn(id) ? moveStyles(code, withoutQuery(id)) : undefined),
    },
  }
}

/** May also match other text: the parser decides. */
const STYLE_IMPORT = /\bimport\b[^;]*?\.(css|less|sass|scss|styl|stylus|pcss|postcss|sss)\b/

/** The module with its imports of stylesheets after all other imports; undefined if they are there already. */
export function moveStyles(
  code: string,
  path: string,
): { code: string; map: ReturnType<MagicString['generateMap']> } | undefined {
  const imports = parseModule(code, path).filter((node) => sourceOf(node) !== undefined)
  const last = imports.findLast((node) => !isStyle(node))
  const early = imports.filter((node) => isStyle(node) && last && node.start < last.start)
  if (!last || early.length === 0) return undefined
  const text = new MagicString(code)
  for (const { start, end } of early) {
    text.prependRight(start, ';')
    text.move(start, end, last.end)
  }
  return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
}

function isStyle(node: Node): boolean {
  return node.type === 'ImportDeclaration' && isCSSRequest(sourceOf(node) ?? '')
}

/** The specifier of an import, or of an export from another module. */
function sourceOf(node: Node): string | undefined {
  const source = childOf(node, 'source')
  return source && String(source.value)
}
