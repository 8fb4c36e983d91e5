// The report on a small app folder, for tests.

import { checkFolder } from '../check/check.ts'
import type { Finding, Report } from '../check/report.ts'
import { createFolder } from './folders.ts'

export const PAGE = 'export default () => null\n'

export async function check(files: Record<string, string>): Promise<Report> {
  return checkFolder(await createFolder({ 'pages/index.tsx': PAGE, ...files }))
}

/** `file:line:column text` of each place, without the links to the documentation. */
export function linesOf(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ text, places }) => {
    const at = places.map(({ file, line, column }) => (line === undefined ? file : `${file}:${line}:${column}`))
    return (at.length > 0 ? at : ['']).map((place) => `${place} ${text}`)
  })
}

export const refusedOf = ({ faults }: Report) => linesOf(faults.filter(({ kind }) => kind === 'refused'))
export const missingOf = ({ faults }: Report) => linesOf(faults.filter(({ kind }) => kind === 'missing'))
