import { expect, test } from 'vitest'
import { labelCells } from './docs-tables.ts'

const table = (names: string[], rows: string[][]) =>
  `<table><thead><tr>${names.map((name) => `<th>${name}</th>`).join('')}</tr></thead>` +
  `<tbody>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')}</tbody></table>`

test('F3 names the column on every cell but the first, row by row', () => {
  const html = labelCells(
    `<p>a</p>${table(
      ['Name', 'The <code>default</code>', 'A "rule"'],
      [
        ['a', 'b', 'c'],
        ['d', 'e', 'f'],
      ],
    )}`,
  )
  expect(html).toContain('<td>a</td><td data-label="The default">b</td><td data-label="A &quot;rule&quot;">c</td>')
  expect(html).toContain('<td>d</td><td data-label="The default">e</td><td data-label="A &quot;rule&quot;">f</td>')
})

test('F3 leaves tables of two columns and all other text as they are', () => {
  const html = `<p>td</p>${table(['Name', 'Meaning'], [['a', 'b']])}<pre>&lt;td</pre>`
  expect(labelCells(html)).toBe(html)
})
