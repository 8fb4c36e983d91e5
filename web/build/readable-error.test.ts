// Failed imports: the texts of every tool, and the line of the import in the author's source.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { runtimeModule } from './framework-files.ts'
import { readImportFaults, refusedImport } from './readable-error.ts'
import { removeFolders } from './testing/folders.ts'
import { createApp } from './testing/small-app.ts'

let dir: string
beforeAll(async () => {
  dir = await createApp({
    'lib/inner.ts': 'export function inner() {}\nexport interface Shape { a: string }\nexport const other = 1\n',
    'lib/many.ts': "export * from './inner.ts'\n",
    'pages/a.tsx': `import { useState } from 'react'

import { inner, nope as renamed } from '../lib/inner.ts'
import gone from '../lib/gone'
import { many } from '../lib/many.ts'
  import pad from 'left-pad'
import { Lnk } from 'portico'
export { lost } from '@/lib/inner'
const late = () => import('./late.ts')
import { Lnk as Next } from 'next/link'
import { cookies, unheard } from 'portico'
import { iner } from '../lib/iner.ts'
`,
  })
})
afterAll(removeFolders)

const SPEC = '; a package must be in package.json and installed'

test.each([
  [
    "[UNRESOLVED_IMPORT] Could not resolve '../lib/gone' in pages/a.tsx\n ╭─[ pages/a.tsx:1:19 ]",
    '4:18: cannot find "../lib/gone"',
  ],
  [
    '[vite]: Rolldown failed to resolve import "left-pad" from "DIR/pages/a.tsx".',
    `6:19: cannot find "left-pad"${SPEC}`,
  ],
  [
    'Failed to resolve import "../lib/gone" from "pages/a.tsx". Does the file exist?',
    '4:18: cannot find "../lib/gone"',
  ],
  [
    'Failed to load url ../lib/gone (resolved id: ../lib/gone) in DIR/pages/a.tsx. Does the file exist?',
    '4:18: cannot find "../lib/gone"',
  ],
  [
    'Failed to load url /lib/gone.ts (resolved id: /lib/gone.ts) in DIR/pages/a.tsx. Does the file exist?',
    '4:18: cannot find "../lib/gone"',
  ],
  ["Cannot find module 'left-pad' imported from 'DIR/pages/a.tsx'", `6:19: cannot find "left-pad"${SPEC}`],
  ["Cannot find package 'left-pad' imported from DIR/pages/a.tsx", `6:19: cannot find "left-pad"${SPEC}`],
  ["Could not resolve './late.ts' in pages/a.tsx", '9:27: cannot find "./late.ts"'],
  [
    '[MISSING_EXPORT] "nope" is not exported by "lib/inner.ts".\n   ╭─[ pages/a.tsx:1:10 ]',
    '3:17: "../lib/inner.ts" does not export "nope"; it exports inner, other',
  ],
  [
    '"nope" is not exported by "/lib/inner.ts", imported by "DIR/pages/a.tsx"',
    '3:17: "../lib/inner.ts" does not export "nope"; it exports inner, other',
  ],
  [
    '"many" is not exported by "/lib/many.ts", imported by "DIR/pages/a.tsx"',
    '5:10: "../lib/many.ts" does not export "many"',
  ],
  [
    '"lost" is not exported by "/lib/inner.ts", imported by "DIR/pages/a.tsx"',
    '8:10: "@/lib/inner" does not export "lost"; it exports inner, other',
  ],
  [
    '"default" is not exported by "/lib/gone.ts", imported by "DIR/pages/a.tsx"',
    '4:8: "../lib/gone" does not export "default"',
  ],
  [
    '"cookies" is not exported by "../portico/web/runtime/index.ts".\n ╭─[ pages/a.tsx:1:10 ]',
    '11:10: "portico" does not export "cookies"; "portico/server" does',
  ],
  [
    '"unheard" is not exported by "../portico/web/runtime/index.ts".\n ╭─[ pages/a.tsx:1:10 ]',
    '11:19: "portico" does not export "unheard"',
  ],
  [
    "Could not resolve '../lib/iner.ts' in pages/a.tsx",
    '12:22: cannot find "../lib/iner.ts"; did you mean "../lib/inner.ts"?',
  ],
  [
    '"iner" is not exported by "/lib/inner.ts", imported by "DIR/pages/a.tsx"',
    '12:10: "../lib/iner.ts" does not export "iner"; did you mean inner?',
  ],
  [
    '"Lnk" is not exported by "../portico/web/runtime/index.ts".\n ╭─[ pages/a.tsx:1:10 ]',
    '7:10: "portico" does not export "Lnk"; did you mean Link?',
  ],
  [
    '"pad" is not exported by "__vite-optional-peer-dep:left-pad:kit".\n ╭─[ pages/a.tsx:1:10 ]',
    '6:19: "left-pad" is not installed: this part of kit needs it; install it, or import another part of kit',
  ],
  [
    '"Lnk" is not exported by "__vite-optional-peer-dep:next/link:@kit/core".\n ╭─[ pages/a.tsx:1:10 ]',
    '10:29: "next/link" is a module of Next.js, which only compatibility mode has: import another part of @kit/core',
  ],
])('V2 finds the line of the import in "%s"', (text, message) => {
  const [fault] = readImportFaults(text.replaceAll('DIR', dir), dir)
  expect(fault?.message).toBe(`pages/a.tsx:${message}`)
})

test('V2 names every failed import of one report, and none in other texts', () => {
  const text = "Could not resolve './x' in pages/gone.tsx\nCould not resolve 'y' in pages/gone.tsx"
  expect(readImportFaults(text, dir).map(({ message }) => message.replace(/^.*?gone\.tsx/, 'gone.tsx'))).toEqual([
    'gone.tsx: cannot find "./x"',
    `gone.tsx: cannot find "y"${SPEC}`,
  ])
  const [loaders] = readImportFaults("Could not resolve '!raw-loader?a=b!./x.js' in pages/gone.tsx", dir)
  expect(loaders?.message).toContain('names loaders of webpack, which do not run in an import; import ./x.js?raw for')
  expect(readImportFaults('Cannot read properties of undefined', dir)).toEqual([])
})

test('X1 a name that a module of Next.js does not export is named, and not its module', () => {
  const importer = 'pages/a.tsx'
  const { message } = refusedImport(importer, runtimeModule('next/link.tsx'), dir, { name: 'Lnk' })
  expect(message).toMatch(/^pages\/a\.tsx:10:10: "next\/link" does not export "Lnk"(; it exports .*default.*)?$/)
})
