// What the build of a Next.js app read, mapped, ignored and refused (X): data for `portico check`, lines for the build and
// for the start of development.

interface ReportLine {
  /** A field of the configuration, a file, or both. */
  field: string
  note: string
}

export interface RefusedLine {
  field: string
  /** What Portico does not do. */
  rule: string
  /** What the author can do. */
  remedy: string
}

export interface NextReport {
  /** Configuration and `.env` files. */
  read: string[]
  mapped: ReportLine[]
  ignored: ReportLine[]
  refused: RefusedLine[]
}

export function emptyReport(): NextReport {
  return { read: [], mapped: [], ignored: [], refused: [] }
}

/** The report as text, one line for each entry. */
export function reportLines({ read, mapped, ignored, refused }: NextReport): string[] {
  return [
    `Compatibility with Next.js: read ${read.length > 0 ? read.join(', ') : 'no configuration'}`,
    ...mapped.map(({ field, note }) => `  mapped: ${field}${note && `: ${note}`}`),
    ...ignored.map(({ field, note }) => `  ignored: ${field}: ${note}`),
    ...refused.map((line) => `  refused: ${refusalText(line)}`),
  ]
}

export function refusalText({ field, rule, remedy }: RefusedLine): string {
  return `${field}: ${rule}; ${remedy}`
}
