import { join } from 'node:path'
import { build } from 'vite'
import { afterEach, expect, test } from 'vitest'
import type { BundleSources } from '../bundle-sources/bundle-sources.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { documentStyles } from './styles.ts'

afterEach(removeFolders)

async function buildDocument(document: string) {
  const root = await createFolder({
    'pages/_document.tsx': document,
    'lib/part.ts': "import './part.css'",
    'lib/part.css': '.part { top: 0 }',
  })
  // The cast: the plugin reads these members only.
  const sources = { folder: { document: 'pages/_document.tsx' } } as unknown as BundleSources
  return build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [documentStyles(root, () => sources)],
    build: { write: false, rolldownOptions: { input: join(root, 'pages/_document.tsx') } },
  })
}

test('X10 a stylesheet that the document imports is refused with its line', async () => {
  await expect(buildDocument("export const a = 1\nimport '../lib/part.css'\n")).rejects.toThrow(
    'pages/_document.tsx:2:8: "../lib/part.css" has no effect in a document: import the stylesheet in _app',
  )
})

test.each(["import '../lib/part.ts'", "import text from '../lib/part.css?inline'\nconsole.log(text)"])(
  'X10 other imports of a document are not: %j',
  async (document) => {
    await expect(buildDocument(document)).resolves.toBeDefined()
  },
)
