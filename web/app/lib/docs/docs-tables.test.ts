import { expect, test } from 'vitest'
import { labelCells, nameRows } from './docs-tables.ts'

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

test('N2 gives an anchor to each row that is about one name, once, and to no other row', () => {
  const before = table(
    ['Name', 'Meaning'],
    [
      ['<code>DATA_DIR</code>', 'Read by <code>a</code> &amp; <code>b</code>.'],
      ['<code>not-found</code>', '404'],
      ['<code>DATA_DIR</code>', 'Again.'],
      ['<code>images</code>', 'The id of a heading.'],
      ['<code>--scale</code>', 'An option.'],
      ['text', '<code>OTHER</code>'],
    ],
  )
  const { html, rows } = nameRows(before, ['images'])
  expect(rows).toEqual([
    { id: 'DATA_DIR', name: 'DATA_DIR', text: 'Read by a & b.' },
    { id: 'not-found', name: 'not-found', text: '404' },
  ])
  expect(html.match(/<tr id="[^"]*">/g)).toEqual(['<tr id="DATA_DIR">', '<tr id="not-found">'])
  expect(html.replaceAll(/ id="[^"]*"/g, '')).toBe(before)
  expect(labelCells(html.replace('Meaning</th>', 'Meaning</th><th>More</th>'))).toContain('data-label="Meaning"')
})
