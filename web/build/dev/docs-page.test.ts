import { expect, test } from 'vitest'
import { readDocsPage } from './dev.ts'

test('V2 shows a page of the documentation with its headings, and links to other pages where they are', async () => {
  const html = await readDocsPage('page-data', '/shop/_portico/dev/docs')
  expect(html).toContain('<h2 id="one-data-function-per-page">')
  expect(html).toContain('<title>')
  expect(html).not.toContain('href="/docs/')
})

test.each(['../README', 'decisions/README', 'package.json', '..%2fREADME', '', 'nothing'])(
  'V3 shows nothing for the name "%s"',
  async (name) => {
    expect(await readDocsPage(name, '')).toBeUndefined()
  },
)
