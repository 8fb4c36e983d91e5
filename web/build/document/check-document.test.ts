// The check of a document, over hand-written bundles that run in the real process.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MANIFEST_FORMAT } from '@portico/shared/wire/build-output.ts'
import { PORTICO_VERSION } from '@portico/shared/wire/constants.ts'
import MagicString from 'magic-string'
import type { Rolldown } from 'vite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkDocument } from './check-document.ts'

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

/** Checks a document whose code, in a bundle, is `code`: each line is that of `source`. */
async function check(code: string, { source = 'pages/_document.tsx', document = 'pages/_document.tsx' } = {}) {
  const outDir = join(dir, 'dist')
  await mkdir(join(outDir, 'server'), { recursive: true })
  await writeFile(join(outDir, 'server/package.json'), '{"type":"module"}')
  await writeFile(join(outDir, 'server/entry.js'), code)
  const manifest = {
    ...{ format: MANIFEST_FORMAT, version: PORTICO_VERSION, buildId: 'b1', publicEnv: PUBLIC_ENV },
    env: { PAYMENT_KEY: { type: 'string' } },
  }
  await writeFile(join(outDir, 'manifest.json'), JSON.stringify(manifest))
  const map = new MagicString(code).generateMap({ source: `../../${source}`, hires: true })
  // The cast: the check reads these members only.
  const output = [{ type: 'chunk', fileName: 'entry.js', map }] as unknown as Rolldown.RolldownOutput['output']
  return checkDocument({ outDir, folder: { dir, document }, output })
}

const preparing = (body: string) => `export const bundle = { prepare(publicEnv) {\n${body}\n} }`

describe('the check of a document', () => {
  test('D7 accepts a document that renders with placeholders, and ends while its modules keep a timer', async () => {
    const types = '[SITE_NAME, SITE_URL, LIMIT, IS_OPEN, THEME].map((value) => typeof value).join()'
    const body = `const { SITE_NAME, SITE_URL, LIMIT, IS_OPEN, SUPPORT, THEME } = publicEnv
if (${types} !== 'string,string,number,boolean,string' || SUPPORT !== null || THEME !== 'light') throw new Error(SITE_URL)
new URL(SITE_URL)
setInterval(() => {}, 1000)`
    expect(await check(preparing(body))).toBeUndefined()
  })

  test('F2 refuses a document that throws, with its place and text', async () => {
    const body = 'const list = []\nreturn list.at(3).name'
    await expect(check(preparing(body))).rejects.toThrow(
      "pages/_document.tsx:3:18: throws while the document is rendered: TypeError: Cannot read properties of undefined (reading 'name')",
    )
  })

  test('F2 names the component that throws, and no file of a package', async () => {
    const code = preparing("throw new Error('boom')")
    await expect(check(code, { source: 'components/meta.tsx' })).rejects.toThrow('components/meta.tsx:2:7: throws')
    await expect(check(code, { source: 'node_modules/meta/index.js' })).rejects.toThrow('pages/_document.tsx: throws')
    await expect(check(code, { source: '../../../web/runtime/x.tsx' })).rejects.toThrow('pages/_document.tsx: throws')
  })

  test('F2 refuses a document whose module throws while it is loaded', async () => {
    await expect(check("\nthrow new RangeError('too far')")).rejects.toThrow(
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
    expect(await check(code)).toMatch(
      new RegExp(
        `^pages/_document\\.tsx: not checked: it throws while (it is loaded|the document is rendered), where ${name} has no value: \\w+Error: `,
      ),
    )
  })

  test('O8 reports modules that never finish loading', async () => {
    expect(await check('await new Promise(() => {})')).toBe(
      'pages/_document.tsx: not checked: its modules did not finish loading (exit code 0)',
    )
  })

  test('F2 runs nothing for a folder without a document', async () => {
    expect(await check('process.exit(1)', { document: '' })).toBeUndefined()
  })
})
