// Imports of Next.js: which of them are refused, and that the documentation names the same replacements.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FRAMEWORK } from '../framework-files.ts'
import { replacementOf } from '../readable-error.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { nextImports } from './transforms.ts'

let dir: string
beforeAll(async () => {
  dir = await createFolder({ 'pages/a.tsx': "import Link from 'next/link'\nimport { x } from 'next'\n" })
})
afterAll(removeFolders)

/** Resolves an import of pages/a.tsx, or of the importer, when all other plugins resolve it to `id`. */
async function resolve(source: string, id: string | undefined, importer = join(dir, 'pages/a.tsx')) {
  const context = { resolve: async () => id && { id } }
  const { resolveId } = nextImports(dir)
  // The cast: the plugin reads no other member of the bundler's context.
  return (resolveId as (...given: unknown[]) => Promise<{ id: string } | undefined>).call(context, source, importer, {})
}

const SEE = '; see docs/coming-from-next.md#another-name'

test.each([
  ['next/link', undefined, `pages/a.tsx:1:18: "next/link" is not part of Portico; use Link of portico${SEE}`],
  ['next/link', '/site/node_modules/next/link.js', 'pages/a.tsx:1:18: "next/link" is not part of'],
  ['next/link', '/site/.portico/vite/deps/next_link.js?v=1', 'pages/a.tsx:1:18: "next/link" is not part of'],
  ['next', 'next', 'pages/a.tsx:2:19: "next" is not part of Portico; use portico, portico/server and portico/config'],
])('F1 refuses the import of %s that is resolved to %s', async (source, id, message) => {
  await expect(resolve(source, id)).rejects.toThrow(message)
})

test('F1 a module of the site in the place of Next.js is used, and packages are not checked', async () => {
  expect(await resolve('next/link', '/site/lib/link.tsx')).toEqual({ id: '/site/lib/link.tsx' })
  expect(await resolve('next/link', undefined, '/site/node_modules/seo/index.js')).toBeUndefined()
  expect(await resolve('next-themes', undefined)).toBeUndefined()
})

test('F1 every module of Next.js in the documentation has a replacement with a name that the documentation has', async () => {
  const text = await readFile(join(FRAMEWORK, 'docs/coming-from-next.md'), 'utf8')
  const rows = text.split('\n').filter((line) => line.startsWith('| `next/'))
  expect(rows.length).toBeGreaterThan(7)
  for (const row of rows)
    for (const [, name = ''] of row.split('|')[1]!.matchAll(/`(next\/[a-z]+)`/g)) {
      const replacement = replacementOf(name)?.replaceAll(/ (of portico|anywhere|with).*| and|,/g, ' ') ?? name
      for (const word of replacement.split(/\s+/).filter((each) => /^<?[A-Z]|^use|^<[a-z]+>$/.test(each)))
        expect(row, name).toContain(word)
    }
})
