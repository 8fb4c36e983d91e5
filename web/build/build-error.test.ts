// Messages for authors: their place and their section of the documentation survive as text.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { authorError, DOCS, type DocsSection, parseFault } from './build-error.ts'
import { FRAMEWORK } from './framework-files.ts'
import { renderMarkdown } from './transforms/markdown.ts'

const CODE = 'one\ntwo three\n'

test.each([
  [{ file: 'pages/a.tsx', rule: 'must be b' }, 'pages/a.tsx: must be b'],
  [{ file: 'pages/a.tsx', at: { code: CODE, offset: 8 }, rule: 'must be b' }, 'pages/a.tsx:2:5: must be b'],
  [
    { file: 'pages/[id].tsx', at: { code: CODE, offset: 0 }, rule: 'must: be b', docs: 'page' as const },
    'pages/[id].tsx:1:1: must: be b; see docs/write-a-page.md#files-and-paths',
  ],
])('V2 names file, line, rule and section of %j', (fault, message) => {
  expect(authorError(fault).message).toBe(message)
})

test.each([
  ['boom', { rule: 'boom' }],
  ['http://host:8080: refused', { rule: 'http://host:8080: refused' }],
  ['pages/a.tsx: must be b', { rule: 'pages/a.tsx: must be b' }],
  ['pages/a.tsx:2:5: must be b', { file: 'pages/a.tsx', line: 2, column: 5, rule: 'must be b' }],
  [
    'pages/a.tsx:2:5: must: be b; see docs/page-data.md#for-everybody',
    { file: 'pages/a.tsx', line: 2, column: 5, rule: 'must: be b', docs: 'page-data#for-everybody' },
  ],
  ['no place; see docs/actions.md#once', { rule: 'no place', docs: 'actions#once' }],
])('V2 reads place and section in "%s"', (message, parsed) => {
  expect(parseFault(message)).toEqual(parsed)
})

test.each(Object.keys(DOCS) as DocsSection[])('V2 the section "%s" is in the documentation', async (section) => {
  const [page, heading] = DOCS[section].split('#')
  const file = join(FRAMEWORK, 'docs', `${page}.md`)
  const { headings } = renderMarkdown(await readFile(file, 'utf8'), file)
  expect(headings.map(({ id }) => id)).toContain(heading)
})
