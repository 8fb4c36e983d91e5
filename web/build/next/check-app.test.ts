// The report on projects of Next.js.

import { afterEach, describe, expect, test } from 'vitest'
import { checkFolder } from '../check/check.ts'
import { reportText } from '../check/report.ts'
import { check, linesOf, missingOf, PAGE, refusedOf } from '../testing/findings.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'

afterEach(removeFolders)

describe('a project of Next.js', () => {
  const NEXT_APP = {
    'package.json': `{
  "dependencies": {
    "next": "^14.2.0",
    "react": "^18.2.0",
    "axios": "^1.7.0"
  }
}`,
    'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./*"] }, "jsx": "preserve" } }',
    'next.config.js': `const nextConfig = {
  basePath: '/shop',
  i18n: { locales: ['en', 'de'], defaultLocale: 'en', domains: [] },
}
module.exports = nextConfig`,
    'middleware.ts': "export function middleware() {}; export const config = { matcher: 'a' }",
    'app/layout.tsx': PAGE,
    'static/plan.txt': '',
    'app/page.tsx': PAGE,
    'pages/index.tsx': `import type { NextPage } from 'next'
import Link from 'next/link'
import { Inter } from 'next/font/google'
import { Card } from '@/components/card'
import axios from 'axios'
const Home: NextPage = () => <Card><style jsx>{\`p { color: red }\`}</style><Link href="/"><a>{Inter}{axios}</a></Link></Card>
Home.getInitialProps = async () => ({})
export default Home`,
    'components/card.tsx': `import { NextRouter } from 'next/router'
import Image from 'next/image'
const Late = () => import('next/dynamic')
export const Card = (props: { router: NextRouter }) => <Image {...props} alt={process.env.NEXT_PUBLIC_NAME} onLoad={Late} />`,
    'components/unused.tsx': "import Head from 'next/head'\nexport default Head",
    'pages/about.tsx': PAGE,
    'pages/about/index.tsx': PAGE,
    'pages/[id].tsx': PAGE,
    'pages/[slug]/edit.tsx': PAGE,
    'pages/api/notes.js':
      "const cache = require('next/cache')\nmodule.exports = () => cache\nexports.default = module.exports",
  }

  test('K1 every fault is in one report, each at the line of the source', async () => {
    const report = await check(NEXT_APP)
    expect(refusedOf(report).sort()).toEqual(
      [
        'next.config.js i18n.domains: the host does not decide the locale; remove the field, and serve each domain as a site with its own defaultLocale',
        'middleware.ts:1:56 config.matcher = "a": must begin with "/"',
        'pages/about/index.tsx two pages for one path; the other file is pages/about.tsx',
        'pages/[slug]/edit.tsx two names for one dynamic position ("slug" and "id"); the other file is pages/[id].tsx',
        'pages/api/notes.js:1:23 "next/cache" is not part of Portico; use revalidatePath and revalidateTag of portico/server',
      ].sort(),
    )
    expect(missingOf(report)).toEqual(['package.json:5:5 not installed: axios; run npm install'])
    expect(report.next).toMatchObject({
      read: ['next.config.js', 'package.json'],
      mapped: [{ field: 'basePath' }, { field: 'pages/' }, { field: 'react ^18.2.0' }, { field: 'pages/api/' }],
      ignored: [{ field: 'app/' }, { field: 'static/' }],
      refused: [{ field: 'i18n.domains' }],
    })
  })

  test('K1 what works in another way is one sentence with its page', async () => {
    // A page with getServerSideProps takes every method in compatibility mode, as in Next.js.
    const own = `export const getServerSideProps = async () => ({ props: {} })\n${PAGE}`
    const { differs } = await check({ ...NEXT_APP, 'pages/own.tsx': own })
    expect(linesOf(differs)).toEqual([
      expect.stringContaining('Pages run in the renderer'),
      ...['pages/index.tsx:1:1', 'components/card.tsx:1:1'].map(
        (place) =>
          `${place} Types of next are removed by the build; TypeScript finds those of portico without the package next.`,
      ),
      expect.stringMatching(/^pages\/index\.tsx:6:75 <Link> with an <a> as its child .*; remove the <a>, or add/),
      expect.stringMatching(/^package\.json:3:5 The package next is not used/),
      expect.stringMatching(
        /^components\/card\.tsx:4:79 reads process\.env\.NEXT_PUBLIC_NAME, which has no value here/,
      ),
    ])
    for (const { docs } of differs) expect(docs).toMatch(/^[a-z-]+(#[a-z-]+)?$/)
  })

  test('X6 uses of NEXT_PUBLIC_ variables are named that are no values of the start', async () => {
    const uses = {
      'next.config.js': "process.env.NEXT_PUBLIC_SET = '1'\nmodule.exports = { env: { NEXT_PUBLIC_OWN: '1' } }",
      '.env': 'NEXT_PUBLIC_FLAG=1\nNEXT_PUBLIC_TAKEN=1\n',
      'lib/uses.ts': `const env = process.env as Record<string, string>
export const { NEXT_PUBLIC_TAKEN } = process.env
export const read = (name: string) => process.env[name]
export const text = process.env.NEXT_PUBLIC_FLAG || 'none'
export const set = process.env.NEXT_PUBLIC_SET === '1' && process.env.NEXT_PUBLIC_OWN ? 1 : 2`,
      'pages/index.tsx': `import * as uses from '../lib/uses'
export const getServerSideProps = () => ({ props: { of: process.env.NEXT_PUBLIC_FLAG ? 1 : 2, all: process.env } })
export default function Page() {
  if ((process.env.NEXT_PUBLIC_FLAG!) === '1') return null
  return <p>{!process.env?.NEXT_PUBLIC_FLAG && String(uses)}{process.env['NEXT_PUBLIC_FLAG']}</p>
}`,
    }
    const named = async (files: Record<string, string>) =>
      linesOf((await check({ ...uses, ...files })).differs).filter((line) => line.includes('process.env'))
    const taken =
      'lib/uses.ts:2:38 takes NEXT_PUBLIC_TAKEN from process.env, which is empty in the browser, as in Next.js'
    const computed = 'lib/uses.ts:3:39 process.env[…] has no value in the browser, as in Next.js'
    const empty = 'lib/uses.ts:1:13 reads process.env, which is empty in the browser, as in Next.js'
    const branch = 'process.env.NEXT_PUBLIC_FLAG decides between branches, and is read at start'
    const lines = [empty, taken, computed, ...['4:8', '5:15'].map((at) => `pages/index.tsx:${at} ${branch}`)]
    expect((await named({})).sort()).toEqual(lines.sort().map((line) => expect.stringContaining(line)))
    // As in Next.js.
    const inlined = { 'portico.config.ts': 'export default { next: true, inlineEnv: true }' }
    expect((await named(inlined)).sort()).toEqual(
      [empty, taken, computed].sort().map((line) => expect.stringContaining(line)),
    )
  })

  test('X6 a variable that code reads and publicEnv declares is refused', async () => {
    const report = await check({
      'portico.config.ts': "export default { next: true, publicEnv: { NEXT_PUBLIC_A: { type: 'string' } } }",
      'pages/index.tsx': 'export default () => <p>{process.env.NEXT_PUBLIC_A}</p>',
    })
    expect(refusedOf(report)).toEqual([
      expect.stringMatching(/^pages\/index\.tsx:1:26 reads process\.env\.NEXT_PUBLIC_A, which is also in publicEnv of/),
    ])
  })

  test('E6 only outside of compatibility mode pages with getServerSideProps take no form', async () => {
    const page = `${PAGE}export const getServerSideProps = () => ({ props: {} })`
    const isNamed = async (files: Record<string, string>) =>
      linesOf((await check({ 'pages/index.tsx': page, ...files })).differs)
        .join()
        .includes('other methods get 405')
    expect([await isNamed({}), await isNamed({ 'next.config.js': 'module.exports = {}' })]).toEqual([true, false])
  })

  test('K1 the text has at most 80 columns, and everything that is refused before what is missing', async () => {
    const text = reportText(await check(NEXT_APP))
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    const kinds = [...text.matchAll(/^ {2}(refused|missing) /gm)].map(([, kind]) => kind)
    expect(kinds).toEqual([...Array(5).fill('refused'), 'missing'])
    expect(text).toMatch(/\n5 refused: a build fails; 1 missing\n$/)
    expect(text).toContain('\n  ignored  app/: routes of the App Router are not served; move them to pages/\n')
    expect(text).toMatch(/\n {2}ignored {2}static\/: its files are not served; move the folder to\s+public\/static\/\n/)
    expect(text).toContain('\n           docs/coming-from-next.md#another-name\n           pages/api/notes.js:1:23\n')
  })
})

test('K1 a next.config that cannot be loaded is the only fault of an app that the mode accepts', async () => {
  const report = await checkFolder(
    await createFolder({
      'next.config.js': "const pwa = require('next-pwa')\nmodule.exports = pwa({})",
      'src/pages/index.tsx': `import Link from 'next/link'\n${PAGE}export { Link }`,
    }),
  )
  expect(linesOf(report.faults)).toEqual(["next.config.js:1:13 could not be loaded: Cannot find module 'next-pwa'"])
  expect(report.supported.pages.count).toBe(1)
  expect(linesOf(report.differs).join()).not.toContain('content security policy')
})
