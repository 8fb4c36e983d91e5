// Texts of clients, sites and libraries, as a terminal may have them.

import { stripVTControlCharacters } from 'node:util'

/**
 * A value with its texts, at any depth, without escape sequences. Ids of bundlers begin with a zero byte, which makes a log binary
 * for grep; other control characters are written in the same form.
 * SECURITY: an escape sequence in an error's text would control the terminal.
 */
export function withoutControls<T>(value: T): T
export function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return stripVTControlCharacters(value).replace(CONTROL, escapeControl)
  if (Array.isArray(value)) return value.map(withoutControls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutControls(each)]))
}

/** Other than tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters to replace
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

function escapeControl(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
