// What development asks of a bundle: which server code it would have (F2).

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readBundleSources } from '../bundle-sources/bundle-sources.ts'
import { parseSiteConfig } from '../config/config.ts'
import { readAppFolder } from '../folder/folder.ts'
import { findServerCode } from './bundles.ts'

const FILES = {
  'package.json': '{ "type": "module" }',
  'lib/read.ts': "import { readFileSync } from 'node:fs'\nexport const text = () => readFileSync('a', 'utf8')",
  'lib/hash.ts': "import { createHash } from 'node:crypto'\nexport const hash = () => createHash('md5')",
  'lib/host.ts': "import { hostname } from 'node:os'\nexport const host = () => hostname()",
  'lib/unused.ts': "import { cpus } from 'node:os'\nexport const count = () => cpus().length",
  'components/plain.tsx': 'export const Plain = () => <p />',
  'components/plain.css': 'p { color: red }',
  'pages/index.tsx': `import { Link } from 'portico'
import '../components/plain.css'
import { Plain } from '../components/plain.tsx'
import { useState } from 'react'
import { text } from '../lib/read.ts'
import { count } from '../lib/unused.ts'
export default () => <Link href="/" onClick={() => text()}>{useState(0)[0]}<Plain /></Link>`,
  'pages/_app.tsx': `import { hash } from '../lib/hash.ts'
export default ({ Component }) => <Component onClick={() => hash()} />`,
  'instrumentation-client.ts': "import { host } from './lib/host.ts'\naddEventListener('click', host)",
}

let dir: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portico-find-server-code-'))
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), text)
  }
})
afterAll(() => rm(dir, { recursive: true, force: true }))

test('F2 server code is found below pages, _app and instrumentation-client, and only modules that lead to it are read', async () => {
  const read: string[] = []
  const plugin = { name: 'read', transform: (_: string, id: string) => void read.push(relative(dir, id)) }
  const config = parseSiteConfig({ plugins: () => [plugin] })
  const leading = Object.keys(FILES).filter((name) => /^(?!components|lib.unused).*tsx?$/.test(name))
  const sources = await readBundleSources(await readAppFolder(dir), config)
  const found = await findServerCode(sources, new Set(leading.map((name) => join(dir, name))))
  expect(found.map(({ importer }) => relative(dir, importer)).sort()).toEqual([
    'lib/hash.ts',
    'lib/host.ts',
    'lib/read.ts',
  ])
  expect(read.filter((name) => !name.includes('\0')).sort()).toEqual(leading.sort())
})
