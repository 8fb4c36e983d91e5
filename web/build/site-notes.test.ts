// Files of a Next.js project that Portico does not read.

import { afterEach, expect, test } from 'vitest'
import { createFolder, removeFolders } from './testing/folders.ts'
import { unreadFiles } from './testing.ts'

afterEach(removeFolders)

test.each([
  [['next.config.mjs'], /^next\.config\.mjs: not read: .*portico\.config\.ts/],
  [['next.config.ts'], /^next\.config\.ts: not read: .*portico\.config\.ts/],
  [
    ['app/layout.tsx', 'app/(shop)/[id]/page.tsx'],
    /^app\/\(shop\)\/\[id\]\/page\.tsx and 1 more: not read: .*App Router/,
  ],
  [['src/app/page.js'], /^src\/app\/page\.js: not read: .*App Router/],
  [['src/pages/index.tsx', 'src/pages/b.tsx'], /^src\/pages: not read: move it to pages\//],
  [['src/instrumentation.ts'], /^src\/instrumentation\.ts: not read: move it next to/],
  [['src/instrumentation-client.ts'], /^src\/instrumentation-client\.ts: not read: move it next to/],
  [['pages/blog/first.mdx'], /^pages\/blog\/first\.mdx: not read: .*pageExtensions/],
])('F2 %j is reported with what to do', async (names, line) => {
  const dir = await createFolder(Object.fromEntries([...names, 'pages/index.tsx'].map((name) => [name, ''])))
  const [only, ...more] = await unreadFiles(dir)
  expect(only).toMatch(line)
  expect(only).toContain('docs/coming-from-next.md')
  expect(more).toEqual([])
})

test('F2 files that only look similar are not reported', async () => {
  const names = [
    'pages/app/page.tsx',
    'pages/next.config.ts',
    'app/shell.tsx',
    'src/lib/pages.ts',
    'lib/instrumentation.ts',
    'instrumentation.ts',
    'instrumentation-client.js',
    'content/a.mdx',
    'portico.config.ts',
    'app/node_modules/x/page.js',
  ]
  expect(await unreadFiles(await createFolder(Object.fromEntries(names.map((name) => [name, '']))))).toEqual([])
})
