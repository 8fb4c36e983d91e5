// Lines of text for a terminal of 100 columns, for the renderers of this folder, and what the catalogue of errors says
// about the code of a response. Pure.

import { ERROR_CATALOGUE, type ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'

/** Columns of a line. */
export const COLUMNS = 100

export type Paint = (style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string

/** Without colours, for a file or a test. */
export const plainPaint: Paint = (_style, text) => text

/**
 * A text behind a prefix, in lines of at most 100 columns that are broken at spaces, a long word anywhere; later lines begin
 * below the text.
 */
export function wrapped(prefix: string, text: string): string[] {
  const lines: string[] = []
  let line = prefix
  let isEmpty = true
  const room = COLUMNS - prefix.length
  const words = text.split(' ').flatMap((word) => word.match(new RegExp(`.{1,${room}}`, 'gs')) ?? [''])
  for (const word of words) {
    if (!isEmpty && line.length + 1 + word.length > COLUMNS) {
      lines.push(line)
      line = ' '.repeat(prefix.length) + word
    } else line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, line].map((each) => each.trimEnd())
}

/** A line of at most `columns`, with `…` in the place of what is left out. */
export function cut(text: string, columns = COLUMNS): string {
  return text.length > columns ? `${text.slice(0, columns - 1)}…` : text
}

/** A name in the first column, and a text in the second one. */
export function labelled(name: string, text: string, paint: Paint): string[] {
  const [first = '', ...others] = wrapped(`${name.padEnd(LABEL_COLUMNS - 1)} `, text)
  return [paint('dim', first.slice(0, LABEL_COLUMNS)) + first.slice(LABEL_COLUMNS), ...others]
}

const LABEL_COLUMNS = 10

/** `12 s`, `5 min`, `3 h`, `2 d`. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`
}

/** `812 B`, `14.2 kB`, `3.1 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Cause and remedy of docs/errors.md; the code alone for one that the catalogue does not have. */
export function errorFacts(code: string, paint: Paint): string[] {
  if (!Object.hasOwn(ERROR_CATALOGUE, code)) return labelled('code', code, paint)
  // Own names of the catalogue are its codes.
  const { cause, remedy } = ERROR_CATALOGUE[code as ErrorCode]
  return [...labelled('code', `${code}: ${plain(cause)}`, paint), ...labelled('remedy', plain(remedy), paint)]
}

/** Texts of the catalogue are Markdown. */
function plain(markdown: string): string {
  return markdown.replaceAll('`', '')
}
