// The report on app folders: a site of Portico, and folders with single faults.

import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { FRAMEWORK } from '../framework-files.ts'
import { check, linesOf, missingOf, PAGE, refusedOf } from '../testing/findings.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { createApp, filesOf } from '../testing/small-app.ts'
import { checkFolder } from './check.ts'
import { reportText } from './report.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  return removeFolders()
})

test('K1 a site of Portico is reported with what it has, and nothing is written into its folder', async () => {
  const dir = await createApp({ '.env.local': 'A=1', '.env.example': 'A=', 'postcss.config.mjs': 'export default {}' })
  // The command reads the files.
  vi.stubEnv('HOME_PATH', '/')
  const before = await filesOf(dir)
  const report = await checkFolder(dir)
  expect(report.faults).toEqual([])
  expect(report.supported).toEqual({
    pages: { count: 5, getServerSideProps: 2, getStaticProps: 1, getStaticPaths: 0, none: 2 },
    prerender: 'start',
    special: ['pages/_app.tsx', 'pages/404.tsx'],
    apiHandlers: 1,
    actions: { count: 2, modules: 1 },
    config: { file: 'portico.config.ts', fields: ['redirects', 'publicEnv'] },
    styles: { global: 1, modules: 2, tools: ['postcss.config.mjs'] },
    publicFiles: 4,
    envFiles: ['.env', '.env.local', '.env.production'],
    assetsScript: 'node assets.mjs',
  })
  expect(reportText(report)).toMatch(/^\S+: nothing is missing or refused\n/)
  expect(await filesOf(dir)).toEqual(before)
})

test('K1 a site that builds has nothing refused', async () => {
  const { faults } = await checkFolder(join(FRAMEWORK, 'infra/e2e/sites/fixture'))
  expect(faults).toEqual([])
})

test('X12 <style jsx> is a plain element outside of compatibility mode only', async () => {
  const page = 'export default () => <p>\n<style jsx>{`p { color: red }`}</style></p>'
  const { differs } = await check({ 'pages/index.tsx': page })
  expect(linesOf(differs)).toContainEqual(
    expect.stringMatching(/^pages\/index\.tsx:2:1 <style jsx> is a plain <style>/),
  )
})

test('K1 every fault of portico.config.ts is reported at its field', async () => {
  const config = `export default {
  i18n: { locales: ['en'] },
  basePath: 'shop',
  images: { domains: ['a.example'] },
}`
  const report = await check({ 'portico.config.ts': config })
  expect(refusedOf(report)).toEqual([
    expect.stringMatching(/^portico\.config\.ts:2:3 i18n\.defaultLocale = undefined: must be one of i18n\.locales: en/),
    expect.stringMatching(/^portico\.config\.ts:3:3 basePath = "shop": must/),
    expect.stringMatching(/^portico\.config\.ts:4:13 images\.domains = .*is not a setting/),
  ])
  // The policies of routes are compared with the pages when the fields have no fault.
  const policies = await check({ 'portico.config.ts': "export default {\n  csp: { routes: { '/gone': {} } },\n}" })
  expect(refusedOf(policies)).toEqual([expect.stringMatching(/^portico\.config\.ts:2:3 csp\.routes.*no page fits/)])
})

test.each<[string, Record<string, string>, string[]]>([
  [
    'a page without a component',
    { 'pages/a.tsx': 'export const a = 1' },
    ['pages/a.tsx a page must export a component as default'],
  ],
  [
    'a module that cannot be parsed',
    { 'pages/a.tsx': 'export default (\n' },
    ['pages/a.tsx:2:1 cannot be parsed: Expected `)` but found `EOF`'],
  ],
  [
    'an import that leads nowhere',
    { 'pages/a.js': "import './b'\nexport default () => <p />" },
    ['pages/a.js:1:8 cannot find "./b"'],
  ],
  [
    'a name that a module does not export',
    {
      'pages/a.tsx': `import { NextScript, Link, type Page } from 'portico'
import key, { lost, other as renamed, Shape } from '../lib/inner'
export { gone } from '../lib/inner'
import * as all from '../lib/inner'
import { free } from '../lib/open'
export const names: Shape[] = [NextScript, Link, key, lost, renamed, all.none, free]\n${PAGE}`,
      'lib/inner.ts': 'export const other = 1\nexport interface Shape { a: string }',
      'lib/open.ts': "export * from './inner'",
    },
    [
      'pages/a.tsx:1:10 "portico" does not export "NextScript"',
      'pages/a.tsx:2:8 "../lib/inner" does not export "default"; it exports other',
      'pages/a.tsx:2:15 "../lib/inner" does not export "lost"; it exports other',
    ],
  ],
  [
    'a package that package.json lacks',
    { 'pages/a.tsx': `import x from 'left-pad'\n${PAGE}export { x }` },
    ['pages/a.tsx:1:15 cannot find "left-pad"; a package must be in package.json and installed'],
  ],
  [
    'an installed React of another version',
    {
      'node_modules/react/package.json': '{ "name": "react", "version": "18.2.0" }',
      'pages/index.tsx': `import { useState } from 'react'\n${PAGE}export { useState }`,
    },
    [expect.stringMatching(/^pages\/index\.tsx imports node_modules\/react 18\.2\.0, but pages run on react 19/)],
  ],
  [
    'a public file with the path of a page',
    { 'pages/a.txt.ts': PAGE, 'public/a.txt': '' },
    ['public/a.txt a public file and a page must not have the same path; the other file is pages/a.txt.ts'],
  ],
  [
    'an export of a module of actions',
    { 'actions/a.ts': "'use server'\nexport const a = 1" },
    [`actions/a.ts:2:18 a 'use server' module may only export async functions; "a" is not one`],
  ],
  [
    'a member of the config of a page',
    { 'pages/a.tsx': `${PAGE}export const config = { amp: true, runtime: 'edge' }` },
    [
      'pages/a.tsx config.amp = true: is not supported; remove the member',
      'pages/a.tsx config.runtime = "edge": is not supported: every page is rendered in Node; remove the member',
    ],
  ],
  ['a package.json that is no JSON', { 'package.json': '{' }, [expect.stringMatching(/^package\.json /)]],
])('K1 %s is refused', async (_name, files, lines) => {
  expect(refusedOf(await check(files))).toEqual(lines)
})

test('K1 a plugin of the site that fails is refused, and the other faults are found', async () => {
  const plugin = "{ name: 'mine', config: () => ({ build: { outDir: 'out' } }) }"
  const report = await check({
    'portico.config.ts': `export default { csp: false, plugins: () => [${plugin}] }`,
    'pages/a.tsx': `import Link from 'next/link'\n${PAGE}export { Link }`,
  })
  expect(refusedOf(report)).toEqual([
    expect.stringMatching(/plugins: "mine" sets build\.outDir/),
    expect.stringMatching(/^pages\/a\.tsx:1:18 "next\/link"/),
  ])
  expect(report.differs).toEqual([])
})

test('K1 a folder without pages is refused, and its other files are reported', async () => {
  const report = await checkFolder(await createFolder({ 'src/pages/index.tsx': PAGE, 'app/page.tsx': PAGE }))
  expect(refusedOf(report)).toEqual([expect.stringContaining('must be a folder that contains pages/; move src/pages')])
  expect(missingOf(report)).toEqual([
    expect.stringContaining('app/page.tsx not read'),
    expect.stringContaining('src/pages not read'),
  ])
})

test('K1 a variable that only the server reads, and a module that no page loads, are no findings', async () => {
  const report = await check({
    'pages/index.tsx': `import { key } from '../lib/key'\n${PAGE}export const getServerSideProps = () => ({ props: { key, url: process.env.URL } })`,
    'lib/key.ts': 'export const key = process.env.KEY',
    'scripts/draw.mjs': "import 'next/jest.js'",
  })
  expect(report.faults).toEqual([])
  expect(linesOf(report.differs).join()).not.toContain('process.env')
})
