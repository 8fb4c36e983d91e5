// The names of built files, for names of sources that are not plain: one site that has them all.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { removeFolders } from '../testing/folders.ts'
import { buildSite, filesOf, type Site } from '../testing/small-app.ts'

const SHEET =
  "import sheet from '../styles/global.css?url'\nexport default function Page() { return <a href={sheet}>sheet</a> }"
const PAGES = ['\u65e5\u672c', '\u00e9', 'word/[\u043a\u043b\u044e\u0447]', 'a-b', 'a/b'].map(
  (name) => `pages/${name}.tsx`,
)
let site: Site
beforeAll(async () => {
  site = await buildSite({
    ...Object.fromEntries(PAGES.map((file) => [file, 'export default function Page() { return <p>named</p> }'])),
    'pages/sheet.tsx': SHEET,
    'src/instrumentation.ts': 'export function register() {}',
    'pages/_document.tsx': `import { Head, Html, Main, Scripts } from 'portico'
import only from '../styles/only.css?url'
export default function Document() { return <Html><Head><link rel="stylesheet" href={only} /></Head><body><Main /><Scripts /></body></Html> }`,
    // For browsers written in another way than for Node.
    'styles/only.css': 'p { user-select: none; & b { color: color-mix(in oklab, red, blue) } }',
    'styles/global.css': 'p { user-select: none; & i { color: color-mix(in oklab, red, blue) } }',
  })
})

afterAll(removeFolders)

it('R1 F3 names of files are plain and different for pages whose names have no letter of ASCII', async () => {
  const pages = site.manifest.pages.filter(({ file }) => PAGES.includes(file))
  expect(pages).toHaveLength(PAGES.length)
  expect(new Set(pages.map(({ files }) => files.module.toLowerCase())).size).toBe(PAGES.length)
  for (const file of await filesOf(site.dist)) expect(file).toMatch(/^[\w./-]+$/)
})

it('F2 a line names a file of Next.js that is not read', () => {
  expect(site.output).toContain('src/instrumentation.ts: not read: ')
})

it('F3 names of files are equal in all bundles for a stylesheet with ?url, imported by others or by the server only', async () => {
  const sheetsIn = async (folder: string) => {
    const files = (await filesOf(join(site.dist, folder))).filter((file) => file.endsWith('.js'))
    const texts = await Promise.all(files.map((file) => readFile(join(site.dist, folder, file), 'utf8')))
    return texts
      .flatMap((text) => [...text.matchAll(/static\/(styles-\w+\.css)["`]/g)].map(([, name = '']) => name))
      .sort()
  }
  const [fromBrowser, fromServer] = await Promise.all(['client/static', 'server'].map(sheetsIn))
  expect(fromBrowser).toEqual(site.manifest.browserEntry.styles)
  expect(fromServer).toEqual(expect.arrayContaining(fromBrowser ?? []))
  expect(fromServer).toHaveLength(2)
  for (const name of fromServer ?? []) expect(site.manifest.staticFiles).toHaveProperty([name])
})
