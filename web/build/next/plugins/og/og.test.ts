// The packages that next/og draws with (X1): what is said where a site lacks one.

import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { BundleSources } from '../../../bundle-sources/bundle-sources.ts'
import { createFolder, removeFolders } from '../../../testing/folders.ts'
import { og } from './og.ts'

afterAll(removeFolders)

const manifest = (name: string) => ({ [`node_modules/${name}/package.json`]: '{}' })
const PACKAGES = { ...manifest('satori'), ...manifest('@resvg/resvg-js') }

async function pluginFor(files: Record<string, string>) {
  const dir = await createFolder({
    'pages/api/plain.tsx': "import { ImageResponse } from 'next/og'\n",
    'pages/api/own.tsx': "import { ImageResponse } from 'next/og'\nexport const options = { fonts: [] }\n",
    ...files,
  })
  const notes = new Set<string>()
  // The casts: the plugin reads these members of the sources, and no context for these ids.
  const [plugin] = og.plugins(dir, () => ({ next: { on: true }, notes }) as unknown as BundleSources)
  const { resolveId, load } = plugin as unknown as {
    resolveId: { handler: (source: string, importer: string) => string | undefined }
    load: { handler: () => string }
  }
  return { notes, load: load.handler, resolve: (file: string) => resolveId.handler('next/og', join(dir, file)) }
}

test('X1 next/og is refused in a module of the site without its packages, with the command that installs them', async () => {
  const { resolve, load } = await pluginFor({})
  expect(() => resolve('pages/api/plain.tsx')).toThrow(
    'pages/api/plain.tsx:1:31: "next/og" draws with packages of the site; run npm install satori @resvg/resvg-js',
  )
  // Many packages support several ways.
  expect(resolve('node_modules/kit/index.js')).toBeUndefined()
  await expect(import(`data:text/javascript,${encodeURIComponent(load())}`)).rejects.toThrow(
    '"next/og" draws with packages of the site; run npm install satori @resvg/resvg-js and build',
  )
  const { resolve: resolveWithOne } = await pluginFor(manifest('satori'))
  expect(() => resolveWithOne('pages/api/plain.tsx')).toThrow('run npm install @resvg/resvg-js')
})

test('X1 next/og without its default font: a note for a module that passes no fonts', async () => {
  const { resolve, notes, load } = await pluginFor(PACKAGES)
  for (const name of ['plain', 'own']) expect(resolve(`pages/api/${name}.tsx`)).toBeUndefined()
  expect([...notes]).toEqual([
    'pages/api/plain.tsx: an ImageResponse without fonts needs the font Geist: run npm install @fontsource/geist, or pass fonts',
  ])
  expect(load()).toContain('export const geist = undefined')
})
