// What `portico check` reports of an app folder: data for --json, and the same as text for a terminal of 80 columns. Pure.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DOCS, type DocsSection, docsFile, parseFault } from '../build-error.ts'
import type { ModeReport } from '../mode.ts'
import type { AppRoute } from './app-router.ts'
import type { Supported } from './supported.ts'

/** App-relative; lines and columns count from 1. */
export interface Place {
  file: string
  line?: number
  column?: number
}

export interface Finding {
  text: string
  /** Page and heading of the documentation. */
  docs?: string
  places: Place[]
}

/** refused: the build fails. missing: the build ignores it, or something must be done before the build. */
export interface Fault extends Finding {
  kind: 'refused' | 'missing'
}

export interface Report {
  /** Absolute. */
  folder: string
  supported: Supported
  /** The report of compatibility mode, if it is on; what it refuses is in `faults`, too. */
  next?: ModeReport
  /** What works in another way than in Next.js. */
  differs: Finding[]
  faults: Fault[]
  /** Routes of an App Router, which are not served; empty without one. */
  appRouter: AppRoute[]
}

/** Collects findings; those with equal texts become one with all places. */
export function createFindings<T extends Finding>() {
  const byText = new Map<string, T>()
  return {
    add(finding: T): void {
      const known = byText.get(finding.text)
      if (!known) return void byText.set(finding.text, { ...finding, places: [...finding.places] })
      for (const place of finding.places)
        if (!known.places.some((other) => isSame(other, place))) known.places.push(place)
    },
    list: (): T[] => [...byText.values()],
  }
}

function isSame(one: Place, other: Place): boolean {
  return one.file === other.file && one.line === other.line && one.column === other.column
}

/** A finding with a section of the documentation. */
export function findingOf(text: string, section: DocsSection, places: Place[] = []): Finding {
  return { text, docs: DOCS[section], places }
}

/** The place and the section of the documentation in the text of a fault. */
export function readFinding(message: string, dir: string): Finding {
  const local = message.replaceAll(`${dir}/`, '')
  const [, start = local, page] = /^([\s\S]*); see docs\/([\w-]+)\.md$/.exec(local) ?? []
  const { file, line, column, rule, docs = page } = parseFault(start)
  const more = docs === undefined ? {} : { docs }
  if (file !== undefined && line !== undefined && column !== undefined)
    return { text: rule, ...more, places: [{ file, line, column }] }
  const [, names = '', text = ''] = /^([^:\n]+): ([\s\S]+)$/.exec(rule) ?? []
  // Conflicts name two files.
  const [first = '', second] = names.split(' and ')
  if (!existsSync(join(dir, first)) || first === '') return { text: rule, ...more, places: [] }
  const other = second === undefined ? '' : `; the other file is ${second}`
  return { text: `${text}${other}`, ...more, places: [{ file: first }] }
}

/** The place of an offset in a file. */
export function placeAt(file: string, code: string, offset: number): Place {
  const before = code.slice(0, offset).split('\n')
  return { file, line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

const WIDTH = 80
/** Places of a difference; those of a fault are listed all, because each has to be fixed. */
const MOST_PLACES = 3

/** Ends with a line break. */
export function reportText({ folder, supported, next, differs, faults, appRouter }: Report): string {
  const isWell = faults.length === 0
  const sections = [
    [isWell ? `${folder}: nothing is missing or refused` : folder],
    ['Supported', ...supportedRows(supported).flatMap(([name, text]) => row(name, 16, [text]))],
    next !== undefined && ['Compatibility with Next.js', ...nextRows(next)],
    differs.length > 0 && ['Differs from Next.js', ...differs.flatMap(differenceRows)],
    appRouter.length > 0 && ['App Router: not served; what each file would be', ...appRouter.flatMap(appRouteRows)],
    faults.length > 0 && ['Missing or refused', ...sorted(faults).flatMap(faultRows)],
    !isWell && [summary(faults)],
  ]
  return `${sections
    .filter((section) => section !== false)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

function sorted(faults: readonly Fault[]): Fault[] {
  return faults.toSorted((one, other) => Number(other.kind === 'refused') - Number(one.kind === 'refused'))
}

function summary(faults: readonly Fault[]): string {
  const refused = faults.filter(({ kind }) => kind === 'refused').length
  const missing = faults.length - refused
  return `${refused} refused${refused > 0 ? ': a build fails' : ''}; ${missing} missing`
}

function supportedRows(supported: Supported): [string, string][] {
  const { pages, prerender, special, actions, config, styles, envFiles, assetsScript } = supported
  const paths = pages.getStaticPaths > 0 ? ` (${pages.getStaticPaths} with getStaticPaths)` : ''
  const kinds = [
    [pages.getServerSideProps, 'with getServerSideProps'],
    [pages.getStaticProps, `with getStaticProps${paths}`],
    [pages.getInitialProps ?? 0, 'with getInitialProps'],
    [pages.none, 'without data'],
  ] as const
  const listOf = (counts: readonly (readonly [number, string])[]) =>
    counts.flatMap(([count, name]) => (count > 0 ? [`${count} ${name}`] : [])).join(', ')
  const sheets = [
    [styles.global, 'global'],
    [styles.modules, styles.modules === 1 ? 'CSS module' : 'CSS modules'],
  ] as const
  const rows: [string, string][] = [
    ['pages', `${pages.count}${pages.count > 0 ? `: ${listOf(kinds)}` : ''}`],
    ['first render', pages.getStaticProps + pages.none > 0 ? FIRST_RENDER[prerender] : ''],
    ['special files', special.join(', ')],
    ['API handlers', String(supported.apiHandlers || '')],
    ['middleware', supported.middleware ?? ''],
    [
      'actions',
      actions.modules > 0 ? `${actions.count} in ${actions.modules} module${actions.modules === 1 ? '' : 's'}` : '',
    ],
    ['configuration', config ? [config.file, config.fields.join(', ')].filter(Boolean).join(': ') : ''],
    ['stylesheets', [listOf(sheets), ...styles.tools].filter(Boolean).join(', ')],
    ['public files', String(supported.publicFiles || '')],
    ['.env files', envFiles.join(', ')],
    ['assets script', assetsScript === undefined ? '' : `${assetsScript} (the check does not run it)`],
  ]
  return rows.filter(([, text]) => text !== '')
}

const FIRST_RENDER: Readonly<Record<Supported['prerender'], string>> = {
  build: "during the build, of pages that are the same for all clients (prerender: 'build')",
  start: "at the start or at the first request, of pages that are the same for all clients (prerender: 'start')",
}

function nextRows({ read, mapped, ignored }: ModeReport): string[] {
  const rows = [
    ['read', read.join(', ')],
    ...mapped.map(({ field, note }) => ['mapped', note ? `${field}: ${note}` : field]),
    ...ignored.map(({ field, note }) => ['ignored', `${field}: ${note}`]),
  ]
  return rows.flatMap(([name = '', text]) => row(name, 9, [text]))
}

function differenceRows({ text, docs, places }: Finding): string[] {
  const shown = places.slice(0, MOST_PLACES).map(placeText).join(', ')
  const more = places.length > MOST_PLACES ? ` and ${places.length - MOST_PLACES} more` : ''
  return row('-', 2, [text, docs && docsFile(docs), shown && `${shown}${more}`])
}

function faultRows({ kind, text, docs, places }: Fault): string[] {
  return row(kind, 9, [text, docs && docsFile(docs), ...places.map(placeText)])
}

function appRouteRows({ file, becomes, needs }: AppRoute): string[] {
  return [
    ...row('', 0, [becomes === undefined ? file : `${file} → ${becomes}`]),
    ...needs.flatMap((need) => row('', 4, [need])),
  ]
}

function placeText({ file, line, column }: Place): string {
  return line === undefined ? file : `${file}:${line}:${column}`
}

/** A name, and the parts in the next column. */
function row(name: string, columns: number, parts: readonly (string | undefined)[]): string[] {
  const lines = parts.flatMap((part) => (part ? wrap(part, WIDTH - columns - 2) : []))
  return lines.map((line, at) => `  ${(at === 0 ? name : '').padEnd(columns)}${line}`)
}

/** A word that is longer than the width has a line for itself. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const given of text.split('\n')) {
    let line = ''
    for (const word of given.split(' ')) {
      if (line !== '' && line.length + 1 + word.length > width) {
        lines.push(line)
        line = word
      } else line = line === '' ? word : `${line} ${word}`
    }
    lines.push(line)
  }
  return lines
}
