// An app folder under development, without a renderer: the state after each change and after a failure.

import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { testAtLength } from '@portico/shared/kit/testing/runs.ts'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { RUNTIME_FILES } from '../framework-files.ts'
import { createFolder, removeFolders } from '../testing/folders.ts'
import { createApp } from '../testing/small-app.ts'
import { createDevBuild, type DevBuild, type DevChange } from './dev.ts'
import { devBase } from './dev-plugins.ts'

const PATIENT = { timeout: 30_000, interval: 50 }

let dir: string
let build: DevBuild
let changes: (DevChange | undefined)[]
let notes: string[]
/** onChange throws this at the next change. */
let failure: Error | undefined

const POSTCSS_CONFIG = `export default { plugins: [
  { postcssPlugin: 'teal', Declaration: { color(it) { if (it.value === 'red') it.value = 'teal' } } },
] }`
const PLUGIN_CONFIG = `export default { plugins: ({ bundle, dev }) => [{
  name: 'says-bundle',
  configureServer: (server) => () => void server.middlewares.use((request, response) => response.end('of a plugin')),
  resolveId: (id) => (id === 'virtual:bundle' ? '\\0virtual:bundle' : undefined),
  load: (id) => (id === '\\0virtual:bundle' ? \`export const text = 'made for \${bundle}, \${dev}'\` : undefined),
}] }`

const write = (file: string, text: string) => writeFile(join(dir, file), text)
const settled = () => build.settled()
/** Serves browsers the modules of the folder. */
async function serve() {
  const vite = build.vite()
  const server = createServer(async (request, response) => {
    if (await vite.serve(request, response)) response.writeHead(404).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    get: (path: string) => fetch(`http://127.0.0.1:${port}${devBase('')}${path}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
beforeEach(async () => {
  // The config reads a value of .env, which the stack gives to the renderer.
  vi.stubEnv('HOME_PATH', '/')
  dir = await createApp()
  changes = []
  notes = []
  failure = undefined
  build = await createDevBuild({
    appDir: dir,
    onNotes: (lines) => notes.push(...lines),
    onChange(change) {
      changes.push(change)
      const error = failure
      failure = undefined
      if (error) throw error
    },
  })
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await build.close()
})
afterAll(removeFolders)

describe('an app folder under development', () => {
  test('V1 versions begin at the clock, so that no other process has a later one', async () => {
    const now = Date.now()
    const { version } = await settled()
    expect(version).toBeGreaterThan(now - 600_000)
    expect(version).toBeLessThan(now)
    expect(build.changedSince(now - 600_000)).toBeUndefined()
    expect(build.changedSince(version + 1)).toBeUndefined()
    expect(build.changedSince(version)).toEqual([])
    await write('lib/load.ts', `${await readFile(join(dir, 'lib/load.ts'), 'utf8')}\n`)
    await expect.poll(async () => (await settled()).version, PATIENT).toBeGreaterThan(version)
    // A write may be seen in two steps.
    expect(new Set(build.changedSince(version))).toEqual(new Set([join(dir, 'lib/load.ts')]))
  })

  testAtLength('F2 many questions about a file with server code are one more check of the folder', async () => {
    const counter = `globalThis.bundles = 0
export default { plugins: ({ bundle, dev }) => (dev || bundle !== 'browser' ? [] : [{ name: 'counts', buildStart: () => void globalThis.bundles++ }]) }`
    const bundles = () => (globalThis as { bundles?: number }).bundles ?? -1
    await write('portico.config.ts', counter)
    await expect.poll(bundles, PATIENT).toBe(0)
    await write('lib/host.ts', "import { hostname } from 'node:os'\nexport const host = () => hostname()")
    await write('pages/plain.js', "import { host } from '../lib/host.ts'\nexport default () => host()")
    await settled()
    await using served = await serve()
    const ask = () => build.vite().check('lib/host.ts')
    await expect
      .poll(async () => {
        for (const file of ['pages/plain.js', 'lib/host.ts']) await (await served.get(file)).text()
        return (await ask()).kind
      }, PATIENT)
      .toBe('server-code')
    const before = bundles()
    const answers = await Promise.all(Array.from({ length: 20 }, ask))
    expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(['server-code']))
    expect(bundles() - before).toBeLessThanOrEqual(2)
  })

  test('V1 says that a new instrumentation.ts runs at the next start', async () => {
    await write('instrumentation.ts', 'export function register() {}\n')
    const note = 'instrumentation.ts: runs when the stack starts; start it again to run this change'
    await expect.poll(() => notes, PATIENT).toContain(note)
  })

  test('R7 V1 follows a config file that is removed and created again', async () => {
    const sources = async () => (await settled()).manifest.redirects.map(({ source }) => source)
    expect(await sources()).toEqual(['/old/:id'])
    await rm(join(dir, 'portico.config.ts'))
    await expect.poll(sources, PATIENT).toEqual([])
    // A name that no file had before.
    await write(
      'portico.config.mjs',
      "export default { redirects: [{ source: '/older', destination: '/', permanent: true }] }",
    )
    await expect.poll(sources, PATIENT).toEqual(['/older'])
  })

  testAtLength('F1 V1 follows a change of serverExternalPackages', async () => {
    const vite = build.vite()
    const { version } = await settled()
    await write('portico.config.ts', "export default { serverExternalPackages: ['some-package'] }")
    await expect.poll(() => build.vite() !== vite, PATIENT).toBe(true)
    const { version: restarted, fault } = await settled()
    expect(fault).toBeUndefined()
    expect(build.changedSince(version)).toBeUndefined()
    // The new Vite server watches the folder too.
    await write('pages/plain.js', 'export default function Plain() { return <p>edited</p> }')
    await expect.poll(() => build.changedSince(restarted), PATIENT).toContain(join(dir, 'pages/plain.js'))
  })

  test('F1 V1 a saved tsconfig.json starts another Vite server, so that no package runs twice', async () => {
    const vite = build.vite()
    const { version } = await settled()
    await write('tsconfig.json', '{ "extends": "./.portico/tsconfig.json" }\n')
    await expect.poll(() => build.vite() !== vite, PATIENT).toBe(true)
    expect((await settled()).fault).toBeUndefined()
    // The actions service loads everything again.
    expect(build.changedSince(version)).toBeUndefined()
  })

  testAtLength('F3 V1 follows plugins of the config and a PostCSS config that is added', async () => {
    const plain = async () => ((await build.vite().importServer()).pages['/plain']?.() ?? {}) as Record<string, string>
    await write('pages/plain.js', "import text from './plain.css?inline'\nexport { text }\nexport default () => null")
    await write('pages/plain.css', 'p { color: red }')
    await expect.poll(async () => (await plain()).text, PATIENT).toContain('color: red')
    await write('postcss.config.mjs', POSTCSS_CONFIG)
    await expect.poll(async () => (await plain()).text, PATIENT).toContain('color: teal')
    await write('portico.config.ts', PLUGIN_CONFIG)
    await write('pages/plain.js', "export { text } from 'virtual:bundle'\nexport default () => null")
    await expect.poll(async () => (await plain()).text, PATIENT).toBe('made for server, true')
    // Once, though each of the three environments has the plugin.
    expect(notes.filter((line) => line.includes('middlewares'))).toEqual([
      expect.stringMatching(/^plugins: "says-bundle" adds middlewares, which have no effect: serve what it adds /),
    ])
  })

  test('V1 X14 browsers have no switch of the build in the code of the runtime', async () => {
    await using served = await serve()
    const runtime = dirname(RUNTIME_FILES.index)
    const files = (await readdir(runtime, { recursive: true })).filter((file) =>
      /^(browser|react|next)\/.*\.tsx?$/.test(file),
    )
    const switched: string[] = []
    for (const file of files) {
      if (!(await readFile(join(runtime, file), 'utf8')).includes('process.env.PORTICO_')) continue
      const response = await served.get(`@fs${join(runtime, file)}`)
      // The pages of this site do not import it.
      if (response.status === 404) continue
      // The source map has the source.
      const code = (await response.text()).replace(/\/\/# sourceMappingURL=.*/, '')
      expect([file, response.status, /process\.env\.PORTICO_\w+/.exec(code)?.[0]]).toEqual([file, 200, undefined])
      switched.push(file)
    }
    expect(switched).toContain('browser/boot/root.tsx')
  })

  test('F2 X6 packages for browsers have the globals of Node, and an environment without values', async () => {
    await mkdir(join(dir, 'node_modules/uses-globals'), { recursive: true })
    await write('node_modules/uses-globals/package.json', '{ "main": "index.js" }')
    await write(
      'node_modules/uses-globals/index.js',
      `exports.used = [process.title, Object.keys(process.env), process.env.HOME_PATH, process.env.NODE_ENV, global === globalThis]
exports.bytes = Buffer.from('a').toString('base64')`,
    )
    await write(
      'node_modules/uses-globals/asks.js',
      "exports.asks = [typeof process, typeof Buffer === 'function' && Buffer.from('a').length]",
    )
    await write(
      'node_modules/uses-globals/sets.js',
      "if (typeof process === 'undefined') process = { title: 'own' }\nexports.title = process.title",
    )
    const names = ['uses-globals', 'uses-globals/asks.js', 'uses-globals/sets.js']
    const load = async () => {
      await write(
        'pages/plain.js',
        `${names.map((name) => `import '${name}'`).join('\n')}\nexport default () => process.title`,
      )
      await using served = await serve()
      let code = ''
      let files: string[] = []
      // Responses arrive after the packages are bundled; browsers load the page again when others are found.
      const statuses = async () => {
        code = await (await served.get('pages/plain.js')).text()
        files = [...code.matchAll(/"[^"]+\/(\.portico\/vite\/deps\/uses-globals[^"]*)"/g)].map(([, file]) => file!)
        return Promise.all(files.map(async (file) => (await served.get(file)).status))
      }
      await expect.poll(statuses, PATIENT).toEqual([200, 200, 200])
      const modules = files.map((file) => import(join(dir, file)) as Promise<{ default: object }>)
      return { code, used: (await Promise.all(modules)).map((module) => module.default) }
    }
    const used = ['browser', [], undefined, 'development', true]
    const own = await load()
    expect(own.used).toEqual([{ used, bytes: 'YQ==' }, { asks: ['undefined', false] }, { title: 'own' }])
    expect(own.code).toContain('server-code')
    await write('portico.config.ts', 'export default { next: true }')
    await expect.poll(async () => (await settled()).manifest.redirects, PATIENT).toEqual([])
    const next = await load()
    expect(next.used).toEqual([{ used, bytes: 'YQ==' }, { asks: ['object', 1] }, { title: 'browser' }])
    expect(next.code).toMatch(/from "[^"]*\/process_browser__js\.js/)
  })

  testAtLength(
    'V1 browsers receive a later page with its packages, though they share code with those of an earlier page',
    async () => {
      const packages = {
        one: "exports.one = require('both')",
        two: "exports.two = require('both')",
        both: 'exports.both = 1',
      }
      for (const [name, code] of Object.entries(packages)) {
        await mkdir(join(dir, 'node_modules', name), { recursive: true })
        await write(`node_modules/${name}/package.json`, '{ "main": "index.js" }')
        await write(`node_modules/${name}/index.js`, code)
      }
      await write('pages/plain.js', "import { one } from 'one'\nexport default () => one.both")
      await write(
        'pages/later.js',
        "import { one } from 'one'\nimport { two } from 'two'\nexport default () => one.both + two.both",
      )
      await expect
        .poll(async () => (await settled()).manifest.pages.map(({ file }) => file), PATIENT)
        .toContain('pages/later.js')
      await using served = await serve()
      const request = async (file: string) => (await served.get(file)).status
      const statuses = async (file: string) => {
        build.vite().showPage([file])
        const code = await (await served.get(file)).text()
        const urls = [...code.matchAll(/"[^"]+\/(\.portico\/vite\/deps\/(?:one|two)[^"]*)"/g)].map(([, url]) => url!)
        await Promise.all(urls.map(request))
        // A browser requests them at any later time: Vite sends what waited for a bundle, and rejects what comes after it.
        return Promise.all(urls.map(request))
      }
      expect(await statuses('pages/plain.js')).toEqual([200])
      expect(await statuses('pages/later.js')).toEqual([200, 200])
    },
  )

  testAtLength('V1 follows a Markdown file of a package in another folder', async () => {
    const linked = await createFolder({ 'package.json': '{"name":"linked","type":"module"}', 'text.md': '# One' })
    await mkdir(join(dir, 'node_modules'))
    await symlink(linked, join(dir, 'node_modules/linked'))
    const { version } = await settled()
    await write('pages/plain.js', "export { sections } from 'linked/text.md'\nexport default () => null")
    await expect.poll(() => build.changedSince(version), PATIENT).toContain(join(dir, 'pages/plain.js'))
    const { pages } = await build.vite().importServer()
    await pages['/plain']?.()
    await writeFile(join(linked, 'text.md'), '# Two')
    await expect.poll(() => build.changedSince(version), PATIENT).toContain(join(linked, 'text.md'))
  })

  test('V1 a file that no module imports is no change of a page: what a page writes while it is rendered', async () => {
    await mkdir(join(dir, 'public'), { recursive: true })
    const { version } = await settled()
    await write('public/feed.xml', 'text')
    await expect.poll(async () => (await settled()).manifest.publicFiles, PATIENT).toHaveProperty('/feed.xml')
    await write('lib/data.json', '["one"]')
    await expect.poll(() => changes.length, PATIENT).toBeGreaterThan(1)
    expect([(await settled()).version, new Set(changes)]).toEqual([version, new Set([undefined])])
    await write('pages/plain.js', "export { default as data } from '../lib/data.json'\nexport default () => null")
    await expect.poll(() => build.changedSince(version), PATIENT).toContain(join(dir, 'pages/plain.js'))
    const load = async () => (await build.vite().importServer()).pages['/plain']?.()
    expect(await load()).toMatchObject({ data: ['one'] })
    const { version: imported } = await settled()
    await write('lib/data.json', '["two"]')
    await expect.poll(() => build.changedSince(imported), PATIENT).toContain(join(dir, 'lib/data.json'))
    expect(changes.at(-1)?.isServerSide).toBe(true)
    expect(await load()).toMatchObject({ data: ['two'] })
  })

  test('V2 a change that could not be applied is a fault until the next change', async () => {
    failure = new Error('the disk is full')
    await write('pages/plain.js', 'export default function Plain() { return <p>one</p> }')
    await expect.poll(async () => (await settled()).fault?.message, PATIENT).toBe('the disk is full')
    expect(changes).toHaveLength(2)
    await write('pages/plain.js', 'export default function Plain() { return <p>two</p> }')
    await expect.poll(async () => (await settled()).fault, PATIENT).toBeUndefined()
  })

  test('I8 V1 finds an imported image by its latest name only', () => {
    const { images } = build
    const file = join(dir, 'pages/hero.png')
    images.urlOf('hero-1.png', file)
    images.urlOf('other-1.png', join(dir, 'pages/other.png'))
    images.urlOf('hero-2.png', file)
    expect(images.find('hero-1.png')).toBeUndefined()
    expect(images.find('hero-2.png')).toEqual({ file, type: 'image/png' })
    expect(images.find('other-1.png')?.type).toBe('image/png')
  })
})
