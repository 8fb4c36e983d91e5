// What `portico check` reports of an app folder: data for the text and for --json.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ModeReport } from '../adapter/mode-report.ts'
import { DOCS, type DocsSection, parseFault } from '../build-error.ts'
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
  /** Of compatibility mode, if it is on; what it refuses is in `faults`, too. */
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
