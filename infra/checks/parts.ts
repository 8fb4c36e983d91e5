// The parts of the product (ARCHITECTURE.md): a part is a folder directly in one of the places below, with everything in it, or a
// file directly in one of them. Its door is the file with the name of the folder.

import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { importsOf, isTestFile, listSources, root, targetOf } from './sources.ts'

/** Folders whose folders and files are parts. The longest match counts. */
const PLACES = [
  'services/gateway',
  'services/renderer',
  'services/images',
  'services/actions',
  'services/stack',
  'services/shared/kit',
  'services/shared/wire',
  'web/build',
  'web/runtime/react',
  'web/runtime/browser',
  'web/runtime/server',
  'web/runtime/next',
].sort((one, other) => other.length - one.length)

const PRODUCT = /^(services|web\/(build|runtime))\//
/** The template of new sites is a site. */
const TEMPLATE = 'web/build/create/starter/'

/** Product files, without tests. */
const productFiles = listSources().filter(
  (file) => PRODUCT.test(file) && !isTestFile(file) && !file.startsWith(TEMPLATE),
)

/** The part of a file: a folder, or the file itself. */
export function partOf(file: string): string {
  const place = PLACES.find((each) => file.startsWith(`${each}/`))
  if (place === undefined) return file
  const [first = '', ...rest] = file.slice(place.length + 1).split('/')
  return rest.length === 0 ? file : `${place}/${first}`
}

interface PartImport {
  /** The importing file, and the imported one. */
  file: string
  target: string
  /** Their parts, which differ. */
  from: string
  to: string
}

/** Every import of a product file from another part, types and dynamic imports included. */
export function importsBetweenParts(): PartImport[] {
  const product = new Set(productFiles)
  return productFiles.flatMap((file) =>
    importsOf(readFileSync(join(root, file), 'utf8')).flatMap(({ specifier }) => {
      const target = targetOf(file, specifier)
      if (target === undefined || !product.has(target)) return []
      const [from, to] = [partOf(file), partOf(target)]
      return from === to ? [] : { file, target, from, to }
    }),
  )
}

/** Parts that import each other, with the files of both directions. */
export function mutualParts(imports: readonly PartImport[]): string[] {
  const arrows = Map.groupBy(imports, ({ from, to }) => `${from} ${to}`)
  return [...arrows]
    .filter(([, [first]]) => first && first.from < first.to && arrows.has(`${first.to} ${first.from}`))
    .map(([name, there]) => {
      const [from = '', to = ''] = name.split(' ')
      const files = (each: readonly PartImport[]) => each.map(({ file, target }) => `${file} > ${basename(target)}`)
      return `${from} and ${to}: ${[...files(there), ...files(arrows.get(`${to} ${from}`) ?? [])].join(', ')}`
    })
}

/**
 * Places whose files are entries themselves. A process loads only what it uses of the kit: encoders and commands stay small.
 * A browser's bundle has what its modules import: a door of `wire` or of the runtime would bring more.
 */
const WITHOUT_DOORS = /^(services\/shared|web\/runtime)\//

/** Whether a file is what other parts may import: the door of a folder, or a file that is a part by itself. */
export function isDoor(file: string): boolean {
  const part = partOf(file)
  return part === file || WITHOUT_DOORS.test(file) || new RegExp(`^${part}/${basename(part)}\\.tsx?$`).test(file)
}

/** The figures of the tree, as a table. */
export function partFigures(): [name: string, figure: number | string][] {
  const imports = importsBetweenParts()
  const lines = productFiles.reduce(
    (sum, file) => sum + readFileSync(join(root, file), 'utf8').split('\n').length - 1,
    0,
  )
  const parts = new Set(productFiles.map(partOf))
  const folders = [...parts].filter((part) => !/\.tsx?$/.test(part))
  return [
    ['product files', productFiles.length],
    ['product lines', lines],
    ['mean lines a file', Math.round(lines / productFiles.length)],
    ['parts that are folders', folders.length],
    ['parts that are one file', parts.size - folders.length],
    ['pairs of parts that import each other', mutualParts(imports).length],
    ['imports past a door', imports.filter(({ target }) => !isDoor(target)).length],
    ['bytes of ARCHITECTURE.md', readFileSync(join(root, 'ARCHITECTURE.md')).length],
  ]
}
