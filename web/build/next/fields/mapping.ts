// What the mappers of next.config.* fill in.

import type { ModeReport, ModeSettings, RefusedLine } from '../../mode.ts'

export interface MappedConfig {
  /** Fields of portico.config.*, not checked. */
  site: Record<string, unknown>
  settings: ModeSettings
}

export interface Mapping extends MappedConfig {
  report: ModeReport
}

/** Whether code can read a variable or member of this name behind a dot. */
export function isName(text: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text)
}

/** The line for a value of another type. */
export function mustBe(field: string, value: unknown, what: string): RefusedLine {
  return { field: `${field} = ${JSON.stringify(value)}`, rule: `must be ${what}`, remedy: 'correct or remove it' }
}
