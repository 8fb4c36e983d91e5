// The load check of a build, over hand-written bundles that run in the real process.

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MANIFEST_FORMAT, type Manifest } from '@portico/shared/wire/build-output.ts'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import MagicString from 'magic-string'
import type { Rolldown } from 'vite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkModules } from './load.ts'

const PUBLIC_ENV = {
  SITE_NAME: { type: 'string' },
  SITE_URL: { type: 'url' },
  LIMIT: { type: 'number' },
  IS_OPEN: { type: 'boolean' },
  SUPPORT: { type: 'string', optional: true },
  THEME: { type: 'string', default: 'light' },
}

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portico-document-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

interface Files {
  /** The entry of the server bundle. */
  server: string
  actions?: string
  /** By its name in both bundles; each is the module of the same name in the app folder. */
  chunks?: Record<string, string>
}

interface Options {
  source?: string
  document?: string
  startLimit?: Parameters<typeof checkModules>[0]['startLimit']
}

/** Checks a build; each line of its code is that of the file `source`. Returns what is reported. */
async function check(
  { server, actions = 'export const bundle = { actions: {}, apiRoutes: {} }', chunks = {} }: Files,
  { source = 'pages/_document.tsx', document = 'pages/_document.tsx', startLimit }: Options = {},
) {
  const outDir = join(dir, 'dist')
  const outputs = { server: [] as unknown[], actions: [] as unknown[] }
  for (const [bundle, code] of [
    ['server', server],
    ['actions', actions],
  ] as const) {
    await mkdir(join(outDir, bundle), { recursive: true })
    await writeFile(join(outDir, bundle, 'package.json'), '{"type":"module"}')
    const files = { 'entry.js': code, ...chunks }
    for (const [fileName, text] of Object.entries(files)) {
      await writeFile(join(outDir, bundle, fileName), text)
      const original = fileName === 'entry.js' ? source : `pages/${fileName}`
      const map = new MagicString(text).generateMap({ source: original, hires: true })
      outputs[bundle].push({ type: 'chunk', fileName, map })
    }
  }
  await mkdir(join(dir, 'pages'), { recursive: true })
  for (const [name, text] of Object.entries(chunks)) await writeFile(join(dir, 'pages', name), text)
  const pages = Object.keys(chunks).map((name) => ({ pattern: `/${name}`, file: `pages/${name}` }))
  const manifest: Pick<Manifest, 'semantics'> & Record<string, unknown> = {
    ...{ format: MANIFEST_FORMAT, version: PORTICO_VERSION, buildId: 'b1', publicEnv: PUBLIC_ENV },
    semantics: {},
    ...{ env: { PAYMENT_KEY: { type: 'string' } }, pages, screens: [], apiRoutes: [] },
  }
  await writeFile(join(outDir, 'manifest.json'), JSON.stringify(manifest))
  const reported: string[] = []
  const progress = { step: (text: string) => reported.push(text), line: (text: string) => reported.push(text) }
  await checkModules({
    ...{ outDir, manifest, folder: { dir, document, app: '' }, progress, ...(startLimit && { startLimit }) },
    // The cast: the check reads these members only.
    outputs: outputs as unknown as Record<'server' | 'actions', Rolldown.RolldownOutput['output']>,
  })
  // On a busy machine there are lines of progress.
  return reported.filter((line) => !/^(Loading modules$|\d+ modules, now )/.test(line)).join('\n')
}

const checkDocument = (server: string, options: Parameters<typeof check>[1] = {}) => check({ server }, options)
const preparing = (body: string) => `export const bundle = { pages: {}, prepare(publicEnv) {\n${body}\n} }`

describe('the check of a document', () => {
  test('D7 accepts a document that renders with placeholders, and ends while its modules keep a timer', async () => {
    const types = '[SITE_NAME, SITE_URL, LIMIT, IS_OPEN, THEME].map((value) => typeof value).join()'
    const body = `const { SITE_NAME, SITE_URL, LIMIT, IS_OPEN, SUPPORT, THEME } = publicEnv
if (${types} !== 'string,string,number,boolean,string' || SUPPORT !== null || THEME !== 'light') throw new Error(SITE_URL)
new URL(SITE_URL)
setInterval(() => {}, 1000)`
    expect(await checkDocument(preparing(body))).toBe('')
  })

  test('F2 refuses a document that throws, with its place and text', async () => {
    const body = 'const list = []\nreturn list.at(3).name'
    await expect(checkDocument(preparing(body))).rejects.toThrow(
      "pages/_document.tsx:3:18: throws while the document is rendered: TypeError: Cannot read properties of undefined (reading 'name')",
    )
  })

  test('F2 names the component that throws, and no file of a package', async () => {
    const code = preparing("throw new Error('boom')")
    await expect(checkDocument(code, { source: 'components/meta.tsx' })).rejects.toThrow(
      'components/meta.tsx:2:7: throws',
    )
    await expect(checkDocument(code, { source: 'node_modules/meta/index.js' })).rejects.toThrow(
      'pages/_document.tsx: throws',
    )
    await expect(checkDocument(code, { source: '../../../web/runtime/x.tsx' })).rejects.toThrow(
      'pages/_document.tsx: throws',
    )
  })

  test('F2 refuses a document whose module throws while it is loaded', async () => {
    await expect(checkDocument("\nthrow new RangeError('too far')")).rejects.toThrow(
      'pages/_document.tsx:2:7: throws while it is loaded: RangeError: too far',
    )
  })

  test.each([
    ['SITE_NAME', preparing('JSON.parse(publicEnv.SITE_NAME)')],
    ['SUPPORT', preparing('publicEnv.SUPPORT.length')],
    ['SITE_OF_PROCESS', preparing('process.env.SITE_OF_PROCESS.length')],
    ['SITE_OF_PROCESS', 'const { SITE_OF_PROCESS } = process.env\nSITE_OF_PROCESS.length'],
    ['PAYMENT_KEY', "JSON.parse(globalThis[Symbol.for('portico.env')].PAYMENT_KEY)"],
  ])('O8 reports, and does not refuse, what throws where %s has no value: %j', async (name, code) => {
    expect(await checkDocument(code)).toMatch(
      new RegExp(
        `^pages/_document\\.tsx: not checked: it throws while (it is loaded|the document is rendered), where ${name} has no value: \\w+Error: `,
      ),
    )
  })

  test('O8 reports modules that never finish loading', async () => {
    expect(await checkDocument('await new Promise(() => {})')).toContain(
      'pages/_document.tsx: not checked: it did not finish loading (it waits for what never happens)',
    )
  })

  test('O4 reports the frame of a folder without a document, and ends with no error', async () => {
    const options = { document: '', source: 'pages/_app.tsx' }
    expect(await checkDocument("\nthrow new Error('no theme')", options)).toContain(
      'pages/_app.tsx:2:7: throws while it is loaded: Error: no theme',
    )
  })
})

describe('the load check of modules', () => {
  const pagesOf = (...names: string[]) =>
    `export const bundle = { prepare() {}, pages: {\n${names.map((name) => `'/${name}': () => import('./${name}'),`).join('\n')}\n} }`

  test('O4 loads every module and reports nothing of those that load', async () => {
    const chunks = { 'one.js': 'export default 1', 'two.js': 'setInterval(() => {}, 1000)' }
    expect(await check({ server: pagesOf('one.js', 'two.js'), chunks })).toBe('')
  })

  test('O4 reports each module that throws, with place, cause and code', async () => {
    const chunks = { 'bad.js': "const one = 1\nthrow new Error('no such table')", 'good.js': 'export default 1' }
    const actions = `export const bundle = { apiRoutes: {}, actions: { a: { name: 'actions/save.ts#save', load: () => import('./missing.js') } } }`
    const said = await check({ server: pagesOf('bad.js', 'good.js'), actions, chunks })
    expect(said).toContain('pages/bad.js:2:7: throws while it is loaded: Error: no such table')
    expect(said).toContain(">    2 | throw new Error('no such table')")
    expect(said).toContain('actions/save.ts: throws while it is loaded: Error: Cannot find module')
    expect(said).not.toContain('good.js')
    expect(said).toMatch(/2 modules cannot be loaded: if the services cannot load them either/)
  })

  test('O8 names the value of the environment that a module has read', async () => {
    const chunks = { 'bad.js': 'export default process.env.SITE_OF_PROCESS.length' }
    expect(await check({ server: pagesOf('bad.js'), chunks })).toMatch(
      /^pages\/bad\.js:1:\d+: throws while it is loaded, where SITE_OF_PROCESS has no value: TypeError/,
    )
  })

  test('O4 loads the modules after one that waits for ever', async () => {
    const chunks = { 'hangs.js': 'await new Promise(() => {})', 'bad.js': "throw new Error('no')" }
    const said = await check({ server: pagesOf('hangs.js', 'bad.js'), chunks })
    expect(said).toContain('pages/bad.js:1:7: throws while it is loaded: Error: no')
    expect(said).toContain('pages/hangs.js: did not finish loading (it waits for what never happens)')
  })

  test('O4 kills the process of a module that runs for ever, and names it and the rest', async () => {
    const begun = join(dir, 'begun')
    const endless = `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(begun)}, '')\nfor (;;) {}`
    const chunks = { 'endless.js': endless, 'left.js': 'export default 1' }
    const startLimit = (_limitMs: number, onLimit: () => void) => {
      const timer = setInterval(() => existsSync(begun) && onLimit(), 20)
      return () => clearInterval(timer)
    }
    const said = await check({ server: pagesOf('endless.js', 'left.js'), chunks }, { startLimit })
    expect(said).toContain('pages/endless.js: did not finish loading (within 30 s)')
    expect(said).toContain('the modules after pages/endless.js were not loaded')
  })

  test('O4 names the module that ends its process', async () => {
    const chunks = { 'ends.js': 'process.exit(3)' }
    expect(await check({ server: pagesOf('ends.js'), chunks })).toContain(
      'pages/ends.js: did not finish loading (exit code 3)',
    )
  })

  test('O4 opens what modules open while they are loaded in a folder that is removed', async () => {
    const chunks = {
      'opens.js': "import { writeFileSync } from 'node:fs'\nwriteFileSync(process.env.DATA_DIR + '/kept.sqlite', '')",
    }
    expect(await check({ server: pagesOf('opens.js'), chunks })).toBe('')
  })
})
