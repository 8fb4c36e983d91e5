// The documents with tables that are written from lists in the code: settings, error codes, functions, fields of
// next.config, faults, time budgets.
// write-tables-cli.ts writes them; rules.test.ts compares.

import { HARMLESS, REFUSED, REFUSED_VALUES, type Refusal } from '@portico/build/next/fields/config-fields.ts'
import { REFUSED_EXPERIMENTAL } from '@portico/build/next/fields/experimental-fields.ts'
import { SEMANTIC_ROWS } from '@portico/build/next/semantics.ts'
import { replaceTable, row, SETTING_DOCUMENTS } from '@portico/shared/kit/config/settings-docs.ts'
import { ERROR_DOCUMENTS } from '@portico/shared/kit/http/errors-docs.ts'
import { TIME_BUDGETS } from '@portico/shared/wire/time-budgets.ts'
import { faultTable, readResults } from '../../e2e/faults/matrix/fault-table.ts'
import { ENTRIES, publicExports } from './public-exports.ts'

/** Each document, with the function that replaces its tables. */
export const WRITTEN_DOCUMENTS: Readonly<Record<string, (text: string) => string>> = {
  ...SETTING_DOCUMENTS,
  ...ERROR_DOCUMENTS,
  'docs/faults.md': (text) => replaceTable(text, faultTable(readResults())),
  'docs/functions.md': (text) => Object.entries(ENTRIES).map(functionsTable).reduce(replaceTable, text),
  'docs/next-config.md': (text) => [refusedTable(), harmlessTable()].reduce(replaceTable, text),
  'docs/next-differences.md': (text) => replaceTable(text, semanticsTable()),
  'docs/limits-and-promises.md': (text) => replaceTable(text, budgetTable()),
}

function refusedTable(): string {
  const values = Object.entries(REFUSED_VALUES).flatMap(([field, { values, ...refusal }]) =>
    values.map((value): [string, Refusal] => [
      `${field}: ${typeof value === 'string' ? `'${value}'` : String(value)}`,
      refusal,
    ]),
  )
  const experimental = Object.entries(REFUSED_EXPERIMENTAL).map(([name, refusal]): [string, Refusal] => [
    `experimental.${name}`,
    refusal,
  ])
  const rows = [...Object.entries(REFUSED), ...values, ...experimental].sort(byField)
  const head = '| Refused field | Rule | What to do |\n|---|---|---|\n'
  return head + rows.map(([field, { rule, remedy }]) => row([`\`${field}\``, rule, remedy])).join('')
}

function harmlessTable(): string {
  const head = '| Field without an effect | Reason |\n|---|---|\n'
  const rows = Object.entries(HARMLESS).sort(byField)
  return head + rows.map(([field, reason]) => row([`\`${field}\``, reason])).join('')
}

function semanticsTable(): string {
  const head = '| Rule | Outside of the mode | In the mode |\n|---|---|---|\n'
  return (
    head +
    Object.entries(SEMANTIC_ROWS)
      .map(([name, { portico, next }]) => row([`\`${name}\``, portico, next]))
      .join('')
  )
}

/** What an entry exports besides types, each with the first sentence of its doc comment. */
function functionsTable([entry, file]: [string, string]): string {
  const head = `| Import from \`${entry}\` | What it is for |\n|---|---|\n`
  const rows = publicExports(file)
    .filter(({ isType }) => !isType)
    .sort((left, right) => left.name.localeCompare(right.name))
    .map(({ name, doc = '' }) => row([`\`${name}\``, firstSentence(doc)]))
  return head + rows.join('')
}

function firstSentence(doc: string): string {
  const text = doc
    .split('@example', 1)[0]!
    .trim()
    .split(/\n\s*\n/, 1)[0]!
    .replaceAll(/\s+/g, ' ')
  return /^.*?[.:](?= [A-Z`]|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}

/** From the outside to the inside. */
function budgetTable(): string {
  const head = '| Time for | Limit | At the limit | Ends before |\n|---|---|---|---|\n'
  const rows = Object.values(TIME_BUDGETS).map(({ what, limitMs, end, within = [], after = [] }) => {
    const outer = within.map((name) => `${TIME_BUDGETS[name].limitMs / 1000} s`)
    const before = after.map((name) => `${TIME_BUDGETS[name].limitMs / 1000} s`)
    const place = [...new Set(outer)].join(', ') + (before.length > 0 ? `, after ${before.join(' and ')}` : '')
    return row([what, `${limitMs / 1000} s`, end, place === '' ? '–' : place])
  })
  return head + rows.join('')
}

function byField([a]: [string, unknown], [b]: [string, unknown]): number {
  return a.localeCompare(b)
}
