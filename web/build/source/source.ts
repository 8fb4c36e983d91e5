// Reads the author's modules without running them: paths and module ids, statements, names, values that are written out, and
// the paths of tsconfig.json.
// Guarantees: a module that cannot be parsed has no statements, and the bundler reports the error; MDX is its imports and
// exports.
// Leaves every rule about modules to those who read them, and every change to transforms.

import { readFile } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { parseSync } from 'vite'

export { type FreeUse, freeNames, freeUses, scopeOf } from './free-names.ts'
export { type PathOptions, readPathOptions, targetsOf } from './path-options.ts'
export {
  boundNames,
  childOf,
  childrenOf,
  commonJsNames,
  DATA_FUNCTIONS,
  declaredNames,
  declaredValues,
  exportedNames,
  exportedSources,
  exportOffset,
  findNode,
  importedNames,
  importedSources,
  importsBare,
  isEsModule,
  isJsx,
  isTypeOnly,
  literalValue,
  type Node,
  nameAt,
  nameOf,
  namesOfModule,
  nodesIn,
  parseModule,
  resolveValue,
} from './syntax.ts'

/** An absolute path as a path in the app folder, with forward slashes; begins with `..` for files outside of it. */
export function appRelative(dir: string, path: string): string {
  return relative(dir, path).split(sep).join('/')
}

/** The path of a module id, without the query that Vite and its plugins add. */
export function withoutQuery(id: string): string {
  return id.replace(/\?.*$/s, '')
}

/** Whether a file, or the ending of one, is Markdown or MDX. */
export function isMarkdown(name: string): boolean {
  return /(^|\.)mdx?$/.test(name)
}

/** Whether the file is a module of JavaScript or TypeScript. */
export function isScript(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path)
}

/** The text of a file; of MDX its imports and exports. */
export async function readSource(path: string): Promise<string> {
  const code = await readFile(path, 'utf8')
  return isMarkdown(path) ? mdxStatements(path.endsWith('.md') ? '' : code) : code
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/

/**
 * The imports and exports of MDX on their own lines, and a component as the default export. A statement begins a block and
 * ends before an empty line, as soon as it can be parsed.
 */
export function mdxStatements(code: string): string {
  const lines = code.split('\n')
  const kept = lines.map(() => '')
  let fence: string | undefined
  for (let at = 0; at < lines.length; at++) {
    const mark = FENCE.exec(lines[at]!)?.[1]
    if (fence === undefined) fence = mark
    else if (mark?.startsWith(fence)) fence = undefined
    const isBlock = at === 0 || lines[at - 1]!.trim() === ''
    if (fence !== undefined || !isBlock || !/^(import|export)\b/.test(lines[at]!)) continue
    const end = endOfStatements(lines, at)
    for (; at < end; at++) kept[at] = lines[at]!
  }
  return `${kept.join('\n')}\nexport default function MDXContent() { return null }\n`
}

/** The line behind the statements that begin at a line; a fault is in all lines up to the next empty one. */
function endOfStatements(lines: readonly string[], start: number): number {
  let first: number | undefined
  for (let end = start + 1; end <= lines.length; end++) {
    if (end < lines.length && lines[end]!.trim() !== '') continue
    const text = lines.slice(start, end).join('\n')
    if (parseSync('a.js', text, { lang: 'jsx' }).errors.length === 0) return end
    first ??= end
    // The text after a fault is not parsed once for each of its paragraphs.
    if (end - start > MOST_LINES) break
  }
  return first ?? start + 1
}

const MOST_LINES = 400
