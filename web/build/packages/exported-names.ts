// The names that a CommonJS module exports, read from its text as Node reads them.

import { readFileSync } from 'node:fs'
import { initSync, parse } from 'cjs-module-lexer'
import type { NodeFiles } from './place-import.ts'

initSync()

/** Without `default` and `__esModule`; empty for what is found only by running the module. */
export function exportedNamesOf(file: string, node: NodeFiles, seen: Set<string> = new Set()): Set<string> {
  const names = new Set<string>()
  if (seen.has(file) || !/\.c?js$/.test(file) || node.formatOf(file) !== 'commonjs') return names
  seen.add(file)
  let found: ReturnType<typeof parse>
  try {
    found = parse(readFileSync(file, 'utf8'))
  } catch {
    return names
  }
  for (const name of found.exports) names.add(name)
  for (const specifier of found.reexports) {
    const target = node.resolve(specifier, file, 'require')
    if (target !== undefined) for (const name of exportedNamesOf(target, node, seen)) names.add(name)
  }
  names.delete('default')
  names.delete('__esModule')
  return names
}
