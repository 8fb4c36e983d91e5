// The error texts for app folders that cannot be built. One process builds them all: each would load the same modules.

import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeFolders } from './testing/folders.ts'
import { createApp, runBuilds } from './testing/small-app.ts'

/** Its link is added to the files. */
const LINKED = 'a link in public/ that leads to nothing'

/** What is wrong, the files that make it so, and the message. */
const FAULTS: readonly [what: string, changes: Record<string, string>, message: RegExp][] = [
  [
    'a page that cannot be parsed',
    { 'pages/plain.js': 'export default function Plain() {\n  return <p>\n}' },
    /pages\/plain\.js:[23]/,
  ],
  [
    'an import that does not exist',
    { 'pages/server.tsx': "import { x } from './gone.ts'\nexport default () => x" },
    /^pages\/server\.tsx:1:19: cannot find "\.\/gone\.ts"\n> +1 \| import/m,
  ],
  [
    'a package that is not installed',
    { 'pages/server.tsx': "import { x } from 'gone'\nexport default () => x" },
    /^pages\/server\.tsx:1:19: cannot find "gone"; a package must be in package\.json and installed$/m,
  ],
  [
    'an import of Next.js, which is installed',
    {
      'pages/server.tsx': 'import Link from \'next/link\'\nexport default () => <Link href="/" />',
      'node_modules/next/link.js': 'export default () => null',
    },
    /^pages\/server\.tsx:1:18: "next\/link" is not part of Portico; use Link of portico; see docs\/coming-from-next\.md#another-name\n> +1 \|/m,
  ],
  [
    'a name that is not exported',
    { 'pages/server.tsx': "\nimport { gone } from '../lib/old.ts'\nexport default () => gone" },
    /^pages\/server\.tsx:2:10: "\.\.\/lib\/old\.ts" does not export "gone"/m,
  ],
  [
    'an action file that cannot be parsed',
    { 'actions/save.ts': "'use server'\nexport async function save( {" },
    /actions\/save\.ts:2/,
  ],
  [
    'a JSON file that cannot be parsed',
    {
      'lib/data.json': '{\n  "a": 1,\n}\n',
      'pages/server.tsx': "import data from '../lib/data.json'\nexport default () => data.a",
    },
    /^lib\/data\.json:3:1: is not JSON: Expected double-quoted property name/m,
  ],
  [
    'a style that cannot be parsed',
    { 'components/box.module.css': '.box { padding: 1px\n' },
    /components\/box\.module\.css:1:1: Unclosed block/,
  ],
  [
    'a page without a component',
    { 'pages/plain.js': 'export const a = 1' },
    /pages\/plain\.js: a page must export a component as default; see docs\/write-a-page\.md#files-and-paths/,
  ],
  [
    'several faults of pages and handlers, all of which are named',
    {
      'pages/plain.js': 'export const a = 1',
      'pages/server.tsx': 'export const config = { amp: true }\nexport default () => null',
      'pages/api/data.json.ts': "export const config = { runtime: 'edge' }\nexport default () => 1",
    },
    /^pages\/api\/data\.json\.ts: config\.runtime .*\npages\/server\.tsx: config\.amp .*\npages\/plain\.js: a page must export/m,
  ],
  [
    'a data function of a CommonJS page',
    { 'pages/plain.js': 'exports.default = () => null\nexports.getStaticProps = () => ({ props: {} })' },
    /^pages\/plain\.js:2:9: getStaticProps of a CommonJS module would be in the browser bundle, .*; see docs\/page-data\.md/m,
  ],
  [
    'a function of webpack',
    { 'pages/plain.js': "const all = require.context('../lib', false, /a/)\nexport default () => all.keys()" },
    /^pages\/plain\.js:1:13: require\.context is a function of webpack; write import\.meta\.glob\("\.\.\/lib\/\*"/m,
  ],
  [
    'two data functions',
    {
      'pages/plain.js':
        'export const getServerSideProps = () => ({ props: {} })\nexport function getStaticProps() {}\nexport default () => null',
    },
    /^pages\/plain\.js:2:8: a page must not export both .*; see docs\/page-data\.md#one-data-function-per-page\n +1 \|[^\n]+\n> +2 \|/m,
  ],
  [
    'data functions that are hidden',
    { 'pages/plain.js': "export * from '../lib/load.ts'\nexport default () => null" },
    /pages\/plain\.js:1:1: a page must name its exports/,
  ],
  [
    'a React of another major version',
    {
      'pages/plain.js': "import { useState } from 'react'\nexport default () => useState(1)",
      'node_modules/react/package.json': '{ "name": "react", "version": "18.3.1" }',
    },
    /^pages\/[\w/[\].]+: imports node_modules\/react 18\.3\.1, but pages run on react 19\.[\d.]+; install packages for React 19$/m,
  ],
  [
    'an image that cannot be decoded',
    { 'pages/plain.js': "import x from './fake.jpg'\nexport default () => x.src", 'pages/fake.jpg': 'text' },
    /pages\/fake\.jpg: must be an image/,
  ],
  [
    LINKED,
    { 'public/a.txt': 'a' },
    /public\/gone\.txt: is a link to \.\.\/gone\.txt, which does not exist: it is not served; remove the link, or put/,
  ],
  [
    'a page and a public file with the same path',
    { 'public/plain': 'x' },
    /public\/plain and pages\/plain\.js: a public file and a page must not have the same path/,
  ],
  [
    'an API handler and a public file with the same path',
    { 'pages/api/data.json.ts': 'export default () => 1', 'public/api/data.json': 'x' },
    /public\/api\/data\.json and pages\/api\/data\.json\.ts/,
  ],
  [
    'an API handler with an unknown member of its config',
    { 'pages/api/data.json.ts': "export const config = { runtime: 'edge' }\nexport default () => 1" },
    /^pages\/api\/data\.json\.ts: config\.runtime = "edge": is not supported: every handler runs in Node; remove/m,
  ],
  [
    'a page with a config',
    { 'pages/plain.js': 'export const config = { amp: true }\nexport default () => null' },
    /^pages\/plain\.js: config\.amp = true: is not supported; remove the member$/m,
  ],
  [
    'a failing assets script',
    { 'assets.mjs': 'process.exit(3)' },
    /package\.json: the script "assets" failed with exit code 3/,
  ],
  ['a package.json that cannot be parsed', { 'package.json': '{ "name": ' }, /package\.json: /],
  [
    'a wrong config',
    { 'portico.config.ts': 'export default { trailingSlash: 1 }' },
    /portico\.config\.ts:1:18: trailingSlash = 1: must be true or false/,
  ],
  [
    'a document that throws',
    {
      'pages/_document.tsx':
        "import { Html } from 'portico'\nimport { language } from '../lib/language.ts'\nexport default () => <Html lang={language()} />",
      'lib/language.ts': 'const languages: string[] = []\nexport const language = () =>\n  languages[0].trim()',
    },
    /^lib\/language\.ts:3:\d+: throws while the document is rendered: TypeError: Cannot read .*\n[\s\S]+\n> +3 \| {3}languages\[0\]\.trim\(\)$/m,
  ],
  [
    'a tsconfig.json that cannot be parsed',
    { 'tsconfig.json': '{ bad' },
    /^tsconfig\.json:1:3: key must be a string$/m,
  ],
  ['a config that cannot be parsed', { 'portico.config.ts': 'export default {\n  a: ,\n}' }, /portico\.config\.ts:2/],
]

const ended = new Map<string, { dir: string; code: number | null; output: string }>()

beforeAll(async () => {
  const dirs = await Promise.all(FAULTS.map(([, changes]) => createApp(changes)))
  await symlink('../gone.txt', join(dirs[FAULTS.findIndex(([what]) => what === LINKED)]!, 'public/gone.txt'))
  for (const [at, result] of (await runBuilds(dirs)).entries()) ended.set(FAULTS[at]![0], { dir: dirs[at]!, ...result })
})
afterAll(removeFolders)

describe('a build that fails', () => {
  it.each(FAULTS)('O1 names the file of %s, without a stack or a path of the machine', (what, _changes, message) => {
    const { dir, code, output } = ended.get(what)!
    expect(output).toMatch(message)
    expect(code).toBe(1)
    const text = output.slice(output.indexOf('The build failed.'))
    expect(text).not.toContain(dir)
    expect(text).not.toMatch(/^\s+at /m)
  })
})
