// Writes the table of error codes into the documentation. infra/checks/docs/write-tables-cli.ts calls this file; a test
// compares.

import { ERROR_CATALOGUE } from '../../wire/errors/error-catalogue.ts'
import { replaceTable, row } from '../config/settings-docs.ts'

/** Documents with error codes, each with the function that replaces its table. */
export const ERROR_DOCUMENTS: Readonly<Record<string, (text: string) => string>> = {
  'docs/errors.md': (text) => replaceTable(text, codesTable()),
}

function codesTable(): string {
  const head = '| Code | Status | Cause | What to do |\n|---|---|---|---|\n'
  const entries = Object.entries(ERROR_CATALOGUE)
  return (
    head +
    entries.map(([code, { status, cause, remedy }]) => row([`\`${code}\``, String(status), cause, remedy])).join('')
  )
}
