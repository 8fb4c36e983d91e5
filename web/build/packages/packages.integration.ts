// A built site whose pages and API handlers import packages of every kind (F1), run as services run it.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { runBuild, runBuilds } from '../testing/small-app.ts'

const run = promisify(execFile)
const packageOf = (name: string, manifest: object, files: Record<string, string>) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0', ...manifest }),
  ...Object.fromEntries(Object.entries(files).map(([file, code]) => [`node_modules/${name}/${file}`, code])),
})
const MODULE = { type: 'module', exports: './index.js' }

const SITE = {
  // Importers of this type would have the whole module as the default export of a CommonJS package.
  'package.json': JSON.stringify({ name: 'site', private: true, type: 'module' }),
  'next.config.mjs': 'export default {}',
  ...packageOf(
    'common',
    {},
    {
      'index.js': `const late = { late: 'late' }
for (const key in late) exports[key] = late[key]
exports.word = require('node:fs').readFileSync(__dirname + '/word.txt', 'utf8')`,
      'word.txt': 'of the file',
    },
  ),
  ...packageOf(
    'transpiled',
    {},
    {
      'index.js': `Object.defineProperty(exports, '__esModule', { value: true })
exports.default = 'default'
exports.react = require('react')
exports.link = require('next/link').default
exports.useIt = () => require('react').useState('hook')[0] + typeof require('next/router').useRouter`,
    },
  ),
  ...packageOf('modern', MODULE, {
    'index.js': `import React, { useState } from 'react'
import Link from 'next/link'
export { React, Link }
export const useIt = () => useState('modern hook')[0]`,
  }),
  ...packageOf('of-server', MODULE, { 'index.js': "import 'server-only'; export { cookies } from 'portico/server'" }),
  ...packageOf('styled', MODULE, {
    'index.js': "import './a.css'; import { word } from 'common'; export const styled = 'styled ' + word",
    'a.css': 'p { color: red }',
  }),
  ...packageOf(
    'outer',
    { type: 'module', exports: './index.jsx' },
    {
      'index.jsx': "import a from 'inner'; import { b } from 'inner-modern'; export const Outer = () => <b>{a + b}</b>",
    },
  ),
  // The site itself cannot find these two.
  ...packageOf('outer/node_modules/inner', {}, { 'index.js': "module.exports = 'inner'" }),
  ...packageOf('outer/node_modules/inner-modern', MODULE, { 'index.js': "export const b = ' modern'" }),
  'pages/index.jsx': `import React from 'react'
import Link from 'next/link'
import { late, word } from 'common'
import whole, { link, react, useIt } from 'transpiled'
import * as modern from 'modern'
import { styled } from 'styled'
import { Outer } from 'outer'
export async function getServerSideProps() {
  const lazy = await import('common')
  const one = [react === React, modern.React === React, link === Link, modern.Link === Link]
  return { props: { facts: { late, word, whole, styled, lazy: lazy.word, one } } }
}
export default function Page() { return <main>{useIt()} {modern.useIt()} <Outer /></main> }`,
  'pages/api/place.js': `import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cookies } from 'of-server'
import { cookies as own } from 'portico/server'
const common = require('common')
export default () => ({
  ...{ isOne: cookies === own, late: common.late, resolved: require.resolve('common') },
  ...{ text: readFileSync(join(__dirname, 'data.txt'), 'utf8'), dirname: import.meta.dirname, filename: __filename },
})`,
  'pages/api/data.txt': 'data',
  // \`renderToString\` of the copy that pages run on.
  'run.mjs': `import { createRequire } from 'node:module'
const { bundle } = await import(process.cwd() + '/dist/server/entry.js')
const page = await bundle.pages['/']()
const require = createRequire(process.cwd() + '/dist/server/entry.js')
const html = require('react-dom/server').renderToString(require('react').createElement(page.default))
const { props } = await page.getServerSideProps({})
// The second bundle of a process replaces the copy of the first one, as development does.
const { bundle: actions } = await import(process.cwd() + '/dist/actions/entry.js')
const handler = await actions.apiRoutes['/api/place']()
console.log(JSON.stringify({ ...props.facts, html, api: handler.default() }))`,
}

let dir: string
beforeAll(async () => {
  dir = await createFolder(SITE)
  const { code, output } = await runBuild(dir)
  expect(code, output).toBe(0)
})
afterAll(removeFolders)

test('F1 W7 packages of every kind run from node_modules, with one React and one framework', async () => {
  const { stdout } = await run(process.execPath, ['run.mjs'], { cwd: dir })
  expect(JSON.parse(stdout)).toEqual({
    ...{ late: 'late', word: 'of the file', whole: 'default', styled: 'styled of the file', lazy: 'of the file' },
    one: [true, true, true, true],
    html: '<main>hookfunction<!-- --> <!-- -->modern hook<!-- --> <b>inner modern</b></main>',
    api: {
      ...{ isOne: true, late: 'late', resolved: join(dir, 'node_modules/common/index.js'), text: 'data' },
      ...{ dirname: join(dir, 'pages/api'), filename: join(dir, 'pages/api/place.js') },
    },
  })
})

test('F1 names the import that no bundle can have, with its place', async () => {
  const here = { 'react-server': './index.js', default: './index.js' }
  const cases = [
    ['of-components', 'String(all)', 'null', 'is for React Server Components alone ("react-server" in its exports)'],
    ['of-components', '1', '<p>{String(all)}</p>', 'is for React Server Components alone'],
    ['of-both/gone', 'String(all)', 'null', 'is not in the exports of the package; there are of-both, of-both/here'],
  ] as const
  const folders = cases.map(([name, data, page]) =>
    createFolder({
      ...{ 'package.json': '{"name":"site"}', 'next.config.mjs': 'export default {}' },
      ...packageOf('of-components', { exports: { '.': { 'react-server': './index.js' } } }, { 'index.js': '' }),
      ...packageOf('of-both', { exports: { '.': here, './here': here } }, { 'index.js': '' }),
      'pages/index.jsx': `import all from '${name}'
export const getServerSideProps = () => ({ props: { data: ${data} } })
export default function Page() { return ${page} }`,
    }),
  )
  for (const [at, { code, output }] of (await runBuilds(await Promise.all(folders))).entries()) {
    const [name, data, page, rule] = cases[at]!
    expect(code, `${data} ${page}`).toBe(1)
    expect(output).toContain(`pages/index.jsx:1:17: "${name}" ${rule}`)
    expect(output).not.toContain('backtrace')
  }
})
