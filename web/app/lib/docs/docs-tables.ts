// Tables of the documentation: for narrow windows each cell has the name of its column, so that a row can become a list;
// for links and the search a row that is about one name has an anchor.

const TABLE = /<table>[\s\S]*?<\/table>/g
const ROW = /<tr[^>]*>[\s\S]*?<\/tr>/g

/** Writes the column's name on every cell but the first (`data-label`), in tables of three columns and more. The HTML is our own Markdown's. */
export function labelCells(html: string): string {
  return html.replace(TABLE, (table) => {
    const names = [...table.matchAll(/<th[^>]*>([\s\S]*?)<\/th>/g)].map(([, name = '']) =>
      name.replaceAll(/<[^>]*>/g, ''),
    )
    if (names.length < 3) return table
    return table.replace(ROW, (row) => {
      let column = -1
      return row.replace(/<td/g, (cell) => {
        column += 1
        const name = names[column]
        return column === 0 || !name ? cell : `${cell} data-label="${name.replaceAll('"', '&quot;')}"`
      })
    })
  })
}

/** A row whose first cell is a name in code: a setting, an error code, a function, a field. */
export interface NamedRow {
  /** The anchor: the name. */
  id: string
  name: string
  /** The other cells. */
  text: string
}

const NAMED_ROW = /<tr>(\s*<td><code>([A-Za-z_][\w.-]*)<\/code><\/td>)([\s\S]*?)<\/tr>/g

/** Writes an anchor on each row that is about one name. The first row of a name has it, and no name that is `taken` by a heading. */
export function nameRows(html: string, taken: readonly string[]): { html: string; rows: NamedRow[] } {
  const rows: NamedRow[] = []
  const ids = new Set(taken)
  const named = html.replace(NAMED_ROW, (row, first: string, name: string, others: string) => {
    if (ids.has(name)) return row
    ids.add(name)
    rows.push({ id: name, name, text: plainText(others) })
    return `<tr id="${name}">${first}${others}</tr>`
  })
  return { html: named, rows }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

function plainText(html: string): string {
  return html
    .replaceAll(/<\/td>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^ ?— /, '')
    .trim()
}
