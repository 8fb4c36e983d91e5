// Finds the exports of the entries that site authors import, each with its doc comment.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { root, targetOf } from '../sources.ts'
import { type CodeBlock, readCodeBlocks } from './code-blocks.ts'

/** What authors import, and the file behind each name. */
export const ENTRIES: Readonly<Record<string, string>> = {
  portico: 'web/runtime/index.ts',
  'portico/server': 'web/runtime/server/api.ts',
  'portico/config': 'web/runtime/config.ts',
  'portico/testing': 'web/runtime/testing/index.ts',
  'portico/testing/vitest': 'web/runtime/testing/vitest.ts',
}

interface PublicExport {
  /** Name for authors. */
  name: string
  /** The file that declares the export, as a path in the repository. */
  file: string
  isType: boolean
  /** The doc comment on the lines of its file, every other line empty; undefined without one. */
  doc: string | undefined
}

/** The code in the doc comments of all exports. */
export function readExamples(): CodeBlock[] {
  const all = Object.values(ENTRIES).flatMap(publicExports)
  // Two entries share some exports.
  const docs = new Map(all.map(({ doc, file }) => [doc, file]))
  return [...docs].flatMap(([doc, file]) => (doc === undefined ? [] : readCodeBlocks(doc, file)))
}

/** The exports of an entry, each traced through re-exports to its declaration. */
export function publicExports(entry: string): PublicExport[] {
  const { module } = parse(entry)
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName, importName, moduleRequest }) => {
      const source = moduleRequest ? sourceOf(entry, moduleRequest.value) : entry
      // `export * from`.
      if (exportName.kind === 'None') return publicExports(source)
      const name = exportName.name ?? ''
      return { name, ...findDeclaration(source, moduleRequest ? (importName.name ?? '') : name) }
    }),
  )
}

function sourceOf(file: string, specifier: string): string {
  const target = targetOf(file, specifier)
  if (target === undefined) throw new Error(`${file} exports from ${specifier}, which is no source file`)
  return target
}

function findDeclaration(file: string, name: string): Omit<PublicExport, 'name'> {
  const { program, comments, module, code } = parse(file)
  const exported = module.staticExports
    .flatMap(({ entries }) => entries)
    .find(({ exportName }) => exportName.name === name)
  if (!exported) throw new Error(`${file} has no export ${name}`)
  if (exported.moduleRequest)
    return findDeclaration(sourceOf(file, exported.moduleRequest.value), exported.importName.name ?? '')
  const statement = program.body.find(({ start, end }) => start <= exported.start && exported.end <= end)
  if (statement?.type !== 'ExportNamedDeclaration' || !statement.declaration)
    throw new Error(`${file} must export ${name} where it declares it`)
  const comment = comments.findLast(
    ({ type, value, start, end }) =>
      type === 'Block' &&
      value.startsWith('*') &&
      start < statement.start &&
      /^(\s|\/\/.*\n)*$/.test(code.slice(end, statement.start)),
  )
  return {
    file,
    isType: statement.declaration.type.startsWith('TS'),
    doc: comment && onItsLines(code.slice(0, comment.start), comment.value),
  }
}

/** The comment without its asterisks, after as many empty lines as the file has before it. */
function onItsLines(before: string, comment: string): string {
  const lines = comment.slice(1).split('\n')
  return '\n'.repeat(before.split('\n').length - 1) + lines.map((line) => line.replace(/^\s*\* ?/, '')).join('\n')
}

function parse(file: string) {
  const code = readFileSync(join(root, file), 'utf8')
  const { program, comments, module } = parseSync(file, code)
  return { program, comments, module, code }
}
