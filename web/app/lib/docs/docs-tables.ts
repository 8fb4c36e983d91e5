// Tables of the documentation for narrow windows: each cell has the name of its column, so that a row can become a list.

const TABLE = /<table>[\s\S]*?<\/table>/g
const ROW = /<tr>[\s\S]*?<\/tr>/g

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
