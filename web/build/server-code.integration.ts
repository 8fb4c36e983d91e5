// Server code in the browser bundle: what the build refuses, what it warns of, and what it lets pass (F1, F2, F3).

import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { removeFolders } from './testing/folders.ts'
import { buildSite, createApp, filesOf, runBuild } from './testing/small-app.ts'

afterAll(removeFolders)

const component = (body: string) => `${body}\nexport default function Page() { return <p>{String(value)}</p> }`

/** Packages of the site by name: the code of index.js, and members of package.json. */
function packages(list: Record<string, { code: string; members?: object; files?: Record<string, string> }>) {
  return Object.fromEntries(
    Object.entries(list).flatMap(([name, { code, members = {}, files = {} }]) => [
      [`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js', ...members })],
      [`node_modules/${name}/index.js`, code],
      ...Object.entries(files).map(([file, text]) => [`node_modules/${name}/${file}`, text]),
    ]),
  )
}

describe('a build with server code in the browser', () => {
  it('F2 names each import with its chain from a page', async () => {
    const dir = await createApp({
      'pages/a-builtin.tsx': component("import { value } from '../components/reads-file.tsx'"),
      'components/reads-file.tsx':
        "import { readFileSync } from 'node:fs'\nexport const value = readFileSync('/etc/hosts')",
      'pages/b-bare-name.tsx': component("import * as path from 'path'\nconst value = path.join('a', 'b')"),
      'server/db.ts': "export const db = { list: () => ['secret'] }",
      'components/list.tsx': "import { db } from '../server/db.ts'\nexport const list = () => db.list()",
      'pages/c-folder.tsx': component("import { list } from '../components/list.tsx'\nconst value = list()"),
      'lib/keys.server.ts': "export default 'secret'",
      'pages/d-name.tsx': component("import value from '../lib/keys.server'"),
      'lib/marked.ts': "import 'server-only'\nexport const value = 'secret'",
      'pages/e-marker.tsx': component("import { value } from '../lib/marked.ts'"),
      'pages/f-own-marker.tsx': component("import 'server-only'\nconst value = 1"),
      'pages/g-native.tsx': component("import { value } from 'native'"),
      'pages/h-late.tsx': component("const value = () => import('../server/db.ts').then(({ db }) => db)"),
      'pages/i-runs.tsx': component("import '../server/start.ts'\nconst value = 1"),
      'server/start.ts': 'globalThis.started = true',
      'pages/j-portico.tsx': component("import { cookies } from 'portico/server'\nconst value = cookies().get('a')"),
      'pages/k-namespace.tsx': component("import * as native from 'native'\nconst value = native.value"),
      'pages/l-barrel.tsx': component("import { db } from '../lib/all.ts'\nconst value = db.list()"),
      'lib/all.ts': "export * from '../server/db.ts'",
      'pages/m-loads.tsx': component("import value from 'inherits-early'"),
      'pages/n-environment.tsx': component(
        "import { url } from '../lib/environment.ts'\nconst value = () => url + process.env.SHOP",
      ),
      'lib/environment.ts': "export const url = process.env.API_URL ?? ''\nexport const key = process.env.KEY",
      'pages/n-outside.tsx': component("import { value } from '../../shared/save.ts'"),
      '../shared/save.ts': "'use server'\nexport async function value() { return 'secret' }",
      'pages/o-link.tsx': component("import { value } from '../server/linked/keys.ts'"),
      '../linked/keys.ts': "export const value = 'secret'",
      'pages/p-address.tsx': component("const value = new URL('../server/keys.json', import.meta.url)"),
      'server/keys.json': '{ "key": "secret" }',
      'pages/q-globals.tsx': component(`interface Props { process: string }
const name = 'Buffer of the global process'
const value = ({ process: own }: Props) => own + name + global.name + Buffer.from('a') + process.title`),
      ...packages({
        native: { code: "exports.value = require('bindings')('x')", members: { gypfile: true } },
        'inherits-early': {
          code: "const events = require('events')\nmodule.exports = class extends events.EventEmitter {}",
        },
      }),
    })
    await symlink(join(dir, '../linked'), join(dir, 'server/linked'))
    const { code, output } = await runBuild(dir)
    const text = output.slice(output.indexOf('The build failed.'))
    const rule = 'use it in data functions, actions and API handlers only'
    const line = (importer: string, target: string, ...chain: string[]) =>
      `${importer}: imports ${target}, which is server code, and the browser loads this file; ${rule}: ${[...chain, importer, target].join(' → ')}`
    const environmentLine = (name: string, chain: string) =>
      `${chain.split(' ').at(-1)}: reads process.env.${name}, but a browser has no environment; use this file in data functions, actions and API handlers only; if every client may know it, declare ${name} in publicEnv of portico.config.ts and use publicEnv('${name}') of portico: ${chain} → process.env.${name}`
    expect(
      text
        .split('\n')
        .filter((each) => each.includes(' → '))
        .map((each) => each.trim().replace(/:\d+:\d+: /, ': ')),
    ).toEqual([
      line('components/list.tsx', 'server/db.ts', 'pages/c-folder.tsx'),
      line('components/reads-file.tsx', 'node:fs', 'pages/a-builtin.tsx'),
      "inherits-early/index.js: runs events when it loads, but a browser has no events; add browserStubs: ['inherits-early'] to portico.config.ts if the package works without it: pages/m-loads.tsx → inherits-early/index.js → events",
      line('lib/all.ts', 'server/db.ts', 'pages/l-barrel.tsx'),
      environmentLine('API_URL', 'pages/n-environment.tsx → lib/environment.ts'),
      line('pages/b-bare-name.tsx', 'path'),
      line('pages/d-name.tsx', 'lib/keys.server.ts'),
      line('pages/e-marker.tsx', 'lib/marked.ts'),
      line('pages/f-own-marker.tsx', 'server-only'),
      line('pages/g-native.tsx', 'native'),
      line('pages/h-late.tsx', 'server/db.ts'),
      line('pages/i-runs.tsx', 'server/start.ts'),
      line('pages/j-portico.tsx', 'portico/server'),
      line('pages/k-namespace.tsx', 'native'),
      environmentLine('SHOP', 'pages/n-environment.tsx'),
      line('pages/n-outside.tsx', '../shared/save.ts'),
      line('pages/o-link.tsx', '../linked/keys.ts'),
      'pages/q-globals.tsx: uses Buffer, which no browser has; use Uint8Array, TextEncoder, atob() and btoa(), or install the package buffer and import { Buffer } from "buffer": pages/q-globals.tsx → Buffer',
      'pages/q-globals.tsx: uses global, which no browser has; write globalThis: pages/q-globals.tsx → global',
      'pages/q-globals.tsx: uses process, which no browser has; use it in data functions, actions and API handlers only, or behind typeof window === "undefined": pages/q-globals.tsx → process',
    ])
    for (const place of [
      'lib/all.ts:1:1',
      'pages/n-environment.tsx:2:27',
      'pages/q-globals.tsx:3:57',
      'pages/q-globals.tsx:3:90',
    ])
      expect(text).toContain(`\n${place}: `)
    expect(text).toContain('server/keys.json: is server code, and the browser bundle would publish this file')
    expect(code).toBe(1)
    expect(text).not.toContain(dir)
  })
})

describe('a build without server code in the browser', () => {
  it('F2 F3 passes imports that tree shaking, types, data functions and browser fields remove', async () => {
    const { dist, output } = await buildSite({
      'portico.config.ts': "export default { browserStubs: ['listed', 'absent'] }",
      'tsconfig.json': '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
      // Used by a data function only.
      'pages/a-data.tsx': `import { Pool } from 'pg-like'
import { db, type Row } from '../server/db.ts'
const pool = new Pool()
export async function getServerSideProps() { return { props: { rows: await pool.query(), db: db.rows } } }
export default function Page({ rows }: { rows: Row[] }) { return <p>{rows.length}</p> }`,
      'server/db.ts': "export interface Row { id: number }\nexport const db = { rows: ['secret-of-the-db'] }",
      'server/save.ts':
        "'use server'\nimport { db } from './db.ts'\nexport async function keep() { return db.rows.length }",
      // A module of both kinds.
      'lib/mixed.ts': `import 'client-only'
import { readFileSync } from 'node:fs'
import { db } from '../server/db.ts'
import { marked } from './marked.ts'
const url = process.env.DATABASE_URL ?? 'default-of-the-url'
const level = typeof process === 'undefined' ? 'info' : process.env.LOG_LEVEL
export const load = () => [readFileSync('/etc/hosts'), db.rows, marked, url]
export const log = (text: string) => console.log(level, text)
export const folder = () => process.cwd() + Buffer.from(typeof window === 'undefined' ? global.name : '')
export const format = (text: string) => (typeof window === 'undefined' ? Buffer.from(text) : text).toUpperCase()`,
      // Names that come by `export *` of server code.
      'lib/barrel.ts': "export * from '../server/index.ts'\nexport const own = 'barrel'",
      'lib/loads.ts':
        "import { db, tools } from './barrel.ts'\nexport const load = () => [db, tools]\nexport const part = 'part'",
      'server/index.ts': "export * from './db.ts'\nexport * as tools from './save.ts'",
      'pages/d-barrel.tsx': component(`import { own } from '../lib/barrel.ts'
import { load, part } from '../lib/loads.ts'
export const getServerSideProps = async () => ({ props: { length: load().length } })
const value = own + part`),
      'lib/marked.ts': "import 'server-only'\nexport const marked = 'secret-of-the-marked'\nconsole.log(marked)",
      'lib/effects.ts': "export interface T { a: 1 }\nglobalThis.effect = 'effect-of-the-types'",
      'pages/b-mixed.tsx': component(`import { type T } from '../lib/effects.ts'
import { type Row } from '../server/db.ts'
import { format, log } from '../lib/mixed.ts'
import { keep } from '../server/save.ts'
const isServer = typeof window === 'undefined'
const value = [format('mixed'), log, keep, {} as T | Row, isServer ? require('../server/db.ts') : 1]
if (typeof window === 'undefined') void import('../server/db.ts')`),
      'pages/c-packages.tsx': component(`import both from 'has-browser-field'
import guarded from 'guarded'
import reads from 'reads-late'
import listed from 'listed'
import leftOut from 'leaves-out'
import globals from 'uses-globals'
import { asks } from 'asks-first'
const value = [both, guarded, reads, listed, leftOut, globals, asks]`),
      ...packages({
        'pg-like': {
          code: "const fs = require('fs')\nexports.Pool = class { query() { return fs.readFileSync('/etc/hosts') } }",
        },
        'has-browser-field': {
          code: "module.exports = require('fs').constants.F_OK",
          members: { browser: './browser.js', gypfile: true },
          files: { 'browser.js': "module.exports = 'form-for-browsers'" },
        },
        guarded: {
          code: `let fs
if (typeof window === 'undefined') fs = require('fs')
if (process.env.NODE_ENV !== 'production') require('path').join('a')
module.exports = typeof window === 'undefined' ? require('os').EOL : 'guarded'`,
        },
        'leaves-out': {
          code: "module.exports = require('fs').constants ? 1 : 2",
          members: { browser: { fs: false } },
        },
        'uses-globals': { code: 'module.exports = () => [process.nextTick, process.env, process.env.A, global.name]' },
        'asks-first': {
          code: `const hasBuffer = typeof Buffer === 'function'
exports.asks = (text) => hasBuffer ? Buffer.from(text) : text + (typeof process === 'object' ? process.cwd() : 'asked')`,
        },
        'reads-late': { code: "const fs = require('fs')\nmodule.exports = (name) => fs.readFileSync(name)" },
        listed: { code: "const { EventEmitter } = require('events')\nmodule.exports = class extends EventEmitter {}" },
      }),
    })
    const warnings = output.split('\n').filter((line) => line.includes('Warning: '))
    expect(warnings.map((line) => line.slice(line.indexOf('Warning: ')))).toEqual([
      "Warning: reads-late/index.js: imports fs, which is empty in the browser; add browserStubs: ['reads-late'] to portico.config.ts if the package works without it: pages/c-packages.tsx → reads-late/index.js → fs",
      'Warning: browserStubs: "absent" has no effect; no module of it imports server code in the browser bundle',
    ])
    const folder = join(dist, 'client/static')
    const names = (await filesOf(folder)).filter((name) => name.endsWith('.js'))
    const code = (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
    expect(code).toContain('form-for-browsers')
    expect(code).toContain('guarded')
    // The package process, which a module uses; not the package buffer, which none uses without a guard.
    expect(code.match(/process\.chdir is not supported/g)).toHaveLength(1)
    expect(code).not.toContain('is invalid for option')
    expect(code).toMatch(/[`"]asked[`"]/)
    expect(code).not.toMatch(/secret-of|readFileSync\)|effect-of-the-types/)
  })
})
