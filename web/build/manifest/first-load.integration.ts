// The budget of the first load: builds the sample site's browser bundle and measures its home page.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readBundleSources } from '../bundle-sources/bundle-sources.ts'
import { buildBundle } from '../bundles/bundles.ts'
import { readAppFolder } from '../folder/folder.ts'
import { FRAMEWORK } from '../framework-files.ts'
import { loadSiteConfig } from '../load-config.ts'
import { browserFiles } from '../route-facts.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { type BrowserBundle, measureFirstLoad, measureRoute } from '../testing.ts'

/** Bytes with gzip, 1 KB is 1000 bytes. Users wait for every byte of a first load: raise a budget only with a reason. */
const FRAMEWORK_BUDGET = 9_000
const HOME_BUDGET = 80_000
/** With the few bytes of `framework` that load it, deferred data costs 0.6 KB. */
const DEFERRED_BUDGET = 545

let outDir: string
let measured: BrowserBundle
let files: ReturnType<typeof browserFiles>

beforeAll(async () => {
  outDir = await createFolder()
  const folder = await readAppFolder(join(FRAMEWORK, 'web/app'))
  const { config } = await loadSiteConfig(folder.dir)
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  const output = await buildBundle('client', await readBundleSources(folder, config), outDir)
  process.env.NODE_ENV = before
  files = browserFiles(output, folder.dir)
  const sizes = new Map<string, number>()
  for (const name of await readdir(outDir))
    sizes.set(name, gzipSync(await readFile(join(outDir, name)), { level: 9 }).length)
  measured = { browserEntry: files.entry, files: sizes.keys().toArray(), bytesOf: (name) => sizes.get(name)! }
})

afterAll(removeFolders)

test('O1 the framework’s part of the first load is at most 9 KB, the sample home at most 80 KB, React included', () => {
  const { react, framework, app } = measureFirstLoad(measured)
  const home = measureRoute('/', files.page('pages/index.tsx'), measured)
  const report = JSON.stringify({ react, framework, app, home: home.own, total: home.total })
  expect(react, report).toBeGreaterThan(0)
  expect(framework, report).toBeGreaterThan(0)
  expect(react + framework + app + home.own).toBe(home.total)
  expect(framework, report).toBeLessThanOrEqual(FRAMEWORK_BUDGET)
  expect(home.total, report).toBeLessThanOrEqual(HOME_BUDGET)
})

test('O1 a typeface is a file of its own, however small: neither scripts nor stylesheets contain one', async () => {
  const names = await readdir(outDir)
  expect(names.filter((name) => /^title-.*\.woff2$/.test(name)).length).toBeGreaterThan(0)
  const texts = names.filter((name) => /\.(js|css)$/.test(name)).map((name) => readFile(join(outDir, name), 'utf8'))
  for (const text of await Promise.all(texts)) expect(text).not.toMatch(/data:(font|application\/font)/)
})

test('O1 the router, the submission of actions and deferred data are not part of the first load', async () => {
  const { router, actions, deferred } = measureFirstLoad(measured)
  expect(deferred).toBeLessThanOrEqual(DEFERRED_BUDGET)
  expect(router).toBeGreaterThan(0)
  expect(actions).toBeGreaterThan(0)
  const textOf = (names: string[]) => Promise.all(names.map((name) => readFile(join(outDir, name), 'utf8')))
  const home = files.page('pages/index.tsx')
  const first = new Set([files.entry.module, ...files.entry.imports, home.module, ...home.imports])
  const early = (await textOf([...first])).join()
  const late = (await textOf([...measured.files].filter((name) => name.endsWith('.js') && !first.has(name)))).join()
  // Strings that minification keeps: an element's name, the kind of a response, and an attribute.
  for (const mark of ['portico-announcer', 'unknown-action', 'data-portico-deferred']) {
    expect(early.includes(mark), mark).toBe(false)
    expect(late.includes(mark), mark).toBe(true)
  }
})
