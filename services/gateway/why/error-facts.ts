// What the catalogue of errors says about the code of a response, as plain text.

import { ERROR_CATALOGUE, type ErrorCode } from '@portico/shared/wire/errors/error-catalogue.ts'
import { labelled, type Paint } from './text-lines.ts'

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
