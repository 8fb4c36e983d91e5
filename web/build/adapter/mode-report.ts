// What a compatibility mode read, mapped, ignored and refused (X): data for `portico check`, lines for the build and for the
// start of development.

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

export interface ModeReport {
  /** Configuration and `.env` files. */
  read: string[]
  mapped: ReportLine[]
  ignored: ReportLine[]
  refused: RefusedLine[]
}

export function emptyReport(): ModeReport {
  return { read: [], mapped: [], ignored: [], refused: [] }
}

/** The report as text, one line for each entry. */
export function reportLines(framework: string, { read, mapped, ignored, refused }: ModeReport): string[] {
  return [
    `Compatibility with ${framework}: read ${read.length > 0 ? read.join(', ') : 'no configuration'}`,
    ...mapped.map(({ field, note }) => `  mapped: ${field}${note && `: ${note}`}`),
    ...ignored.map(({ field, note }) => `  ignored: ${field}: ${note}`),
    ...refused.map((line) => `  refused: ${refusalText(line)}`),
  ]
}

export function refusalText({ field, rule, remedy }: RefusedLine): string {
  return `${field}: ${rule}; ${remedy}`
}
