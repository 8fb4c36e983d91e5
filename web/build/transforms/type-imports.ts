// Removes imports and re-exports of types only, written name by name: `import { type T } from './x'`. Under
// `verbatimModuleSyntax` the compiler would keep `import './x'`, and with it the module (F3).

import MagicString from 'magic-string'
import type { Plugin } from 'vite'
import { isTypeOnly } from '../folder/imported-names.ts'
import { parseModule } from '../folder/module-syntax.ts'
import { withoutQuery } from '../folder/source-paths.ts'

/** A cheap test: most modules import no type name by name. */
const NAMED_TYPE = /[{,]\s*type\s+[\w$"']/

export function typeImports(): Plugin {
  return {
    name: 'portico:type-imports',
    enforce: 'pre',
    transform(code, id) {
      const path = withoutQuery(id)
      return /\.[cm]?tsx?$/.test(path) ? removeTypeImports(code, path) : undefined
    },
  }
}

/** The module without its imports of types; undefined when it has none. */
export function removeTypeImports(code: string, path: string) {
  if (!NAMED_TYPE.test(code)) return
  const statements = parseModule(code, path).filter((node) => node.source && isTypeOnly(node))
  if (statements.length === 0) return
  const text = new MagicString(code)
  for (const { start, end } of statements) text.remove(start, end)
  return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
}
