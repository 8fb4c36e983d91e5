// Writes the list of settings for operators: .env.example and the table of the documentation.
// infra/checks/docs/write-tables-cli.ts calls this file; a test compares.

import { SETTINGS, type Setting } from './settings.ts'

/** Documents with settings, each with the function that replaces its settings. */
export const SETTING_DOCUMENTS: Readonly<Record<string, (text: string) => string>> = {
  '.env.example': () => envExample(),
  'docs/settings.md': (text) => replaceTable(text, docsTable()),
}

const ENV_HEAD = `# Every setting of Portico, each once; values shown are the defaults. Copy to .env and uncomment what you change:
# \`docker compose\` takes from that file the settings that docs/running-with-compose.md lists, and no others. \`npm start\`
# takes settings from the environment only.
`
/** The four services and the stack. */
const EVERYONE = 5
const LINE_LENGTH = 118

const settings: [name: string, setting: Setting][] = Object.entries(SETTINGS)

function envExample(): string {
  const entries = settings.map(([name, setting]) => {
    const { fallback = '', fallbackRule, help, rule, services } = setting
    const more = fallbackRule ? ` Default: ${fallbackRule}.` : ''
    const lines = [help, `Must be ${rule}. Read by: ${services.join(', ')}.${more}`].flatMap(wrap)
    return `\n${lines.map((line) => `# ${line}\n`).join('')}#${name}=${fallback}\n`
  })
  return ENV_HEAD + entries.join('')
}

function docsTable(): string {
  const head = '| Name | Default | Meaning |\n|---|---|---|\n'
  return (
    head +
    settings
      .map(([name, setting]) => {
        const meaning = `${setting.help} Must be ${setting.rule}. Read by: ${readersOf(setting)}.`
        return row([`\`${name}\``, defaultOf(setting), meaning])
      })
      .join('')
  )
}

/** A row of a Markdown table. */
export function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
}

function defaultOf({ fallback, fallbackRule = '—' }: Setting): string {
  return fallback === undefined ? fallbackRule : `\`${fallback}\``
}

function readersOf({ services }: Setting): string {
  return services.length === EVERYONE ? 'all' : services.join(', ')
}

/** Replaces the table that has the same head. */
export function replaceTable(text: string, table: string): string {
  const start = text.indexOf(table.slice(0, table.indexOf('\n') + 1))
  if (start < 0) throw new Error('the document has no table with this head')
  const end = start + /^(?:\|.*\n)+/.exec(text.slice(start))![0].length
  return text.slice(0, start) + table + text.slice(end)
}

/** Wraps the lines of a comment; the length excludes `# `. */
function wrap(text: string): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= LINE_LENGTH - 2)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
