// `npm run check:sizes` prints the figures of the tree, and lists the files, functions and folders that are large. It is a report
// and fails nothing: a long file may be one thing.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'vite'
import { partFigures } from './parts.ts'
import { isTestFile, listSources, root } from './sources.ts'

const FILE_LINES = 500
const FUNCTION_LINES = 120
const FOLDER_FILES = 30

const sources = listSources()
const texts = new Map(sources.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
const product = sources.filter((file) => !isTestFile(file))

for (const [name, figure] of partFigures()) console.log(`${String(figure).padStart(7)}  ${name}`)

report(
  `files with more than ${FILE_LINES} lines`,
  sources.map((file) => [file, linesOf(texts.get(file) ?? '')] as const).filter(([, lines]) => lines > FILE_LINES),
)
report(
  `functions with more than ${FUNCTION_LINES} lines, tests not counted`,
  product.flatMap((file) => functionsOf(file)).filter(([, lines]) => lines > FUNCTION_LINES),
)
report(
  `folders with more than ${FOLDER_FILES} sources, tests not counted`,
  [...Map.groupBy(product, (file) => dirname(file))]
    .map(([folder, files]) => [folder, files.length] as const)
    .filter(([, files]) => files > FOLDER_FILES),
)

function report(title: string, found: readonly (readonly [name: string, size: number])[]): void {
  console.log(`${found.length} ${title}`)
  for (const [name, size] of found.toSorted(([, one], [, other]) => other - one))
    console.log(`${String(size).padStart(7)}  ${name}`)
}

function linesOf(text: string): number {
  return text.trimEnd().split('\n').length
}

/** Each function of a file as `path:line`, with its lines. */
function functionsOf(file: string): (readonly [string, number])[] {
  const text = texts.get(file) ?? ''
  const found: (readonly [string, number])[] = []
  visit(parseSync(file, text).program, ({ type, start, end }) => {
    if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type))
      found.push([`${file}:${linesOf(`${text.slice(0, start)}.`)}`, linesOf(text.slice(start, end))])
  })
  return found
}

interface Node {
  type: string
  start: number
  end: number
}

/** Calls `note` with the value and each node below it. */
function visit(value: unknown, note: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return
  // A cast: every node of the parser has these fields.
  if ('type' in value && 'start' in value && 'end' in value) note(value as Node)
  for (const child of Object.values(value)) visit(child, note)
}
