// What the build reports of pages that a process renders; the process is a script of the test.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { PrerenderMessage } from '@portico/shared/wire/prerender/prerender-messages.ts'
import { afterAll, expect, test } from 'vitest'
import { BuildError } from './build-error.ts'
import { prerender } from './prerender.ts'
import { createFolder, removeFolders } from './testing/folders.ts'

afterAll(removeFolders)

interface Options {
  /** Code after the messages. */
  after?: string
  strictPrerender?: boolean
  silenceLimitMs?: number
  pageLimitMs?: number
  data?: string
  /** Members of the manifest. */
  site?: Partial<Manifest>
}

async function run(
  messages: (PrerenderMessage | 'of the site')[],
  { after = '', data = 'static', site, ...options }: Options = {},
) {
  const dir = await createFolder({ 'prerendered/old': '' })
  const script = join(dir, 'process.mjs')
  const sends = messages.map((message) => `process.send(${JSON.stringify(message)})`)
  await writeFile(script, `${sends.join('\n')}\n${after || 'process.disconnect()'}`)
  const steps: string[] = []
  const lines: string[] = []
  const manifest = { buildId: 'b', semantics: {}, pages: [{ data }], ...site } as unknown as Manifest
  await prerender({
    manifest,
    outDir: dir,
    appDir: dir,
    progress: {
      step: (text) => void steps.push(text.replace(/\d+\.\d s/, '0.1 s')),
      line: (text) => void lines.push(text),
    },
    strictPrerender: false,
    server: [] as unknown as Parameters<typeof prerender>[0]['server'],
    silenceLimitMs: 60_000,
    script,
    ...options,
  })
  const written = await readFile(join(dir, 'manifest.json'), 'utf8').catch(() => '{}')
  return { steps, lines, manifest, written: JSON.parse(written) as Manifest }
}

const END = { kind: 'end', rendered: 2, hash: 'h', listed: {} } as const
const LEFT = { kind: 'left', path: '/a', reason: 'fetch failed' } as const

test('X9 the build names each page that is left to the first request, and sums up', async () => {
  const { steps, lines, manifest, written } = await run([
    LEFT,
    'of the site',
    { kind: 'progress', done: 1, total: 3 },
    END,
  ])
  expect(lines).toEqual(['left to the first request: /a: fetch failed'])
  expect(steps).toEqual(['Rendering pages', 'Rendered 2 pages in 0.1 s, 1 left to the first request'])
  expect([manifest.prerendered, written.prerendered, written.buildId]).toEqual(['h', 'h', 'b'])
})

test('X9 lines about pages are limited in number', async () => {
  const { lines } = await run([...Array.from({ length: 102 }, () => LEFT), END])
  expect(lines).toHaveLength(101)
  expect(lines.at(-1)).toBe('left to the first request: 2 more pages')
})

test('X9 with --strict-prerender such a page is an error of the build', async () => {
  await expect(run([LEFT, END], { strictPrerender: true })).rejects.toThrow('--strict-prerender: /a: fetch failed')
  await expect(run([{ kind: 'failed', reason: 'no' }], { strictPrerender: true })).rejects.toThrow(
    '--strict-prerender: no',
  )
  expect((await run([END], { strictPrerender: true })).steps.at(-1)).toBe('Rendered 2 pages in 0.1 s')
})

test('X9 in an app of Next.js a page that throws ends the build, with page, params, cause and file; others are left as elsewhere', async () => {
  const thrown = {
    kind: 'left',
    path: '/b/1',
    reason: 'boom',
    thrown: { file: 'pages/b/[id].tsx', params: { id: '1' }, stack: '' },
  } as const
  const pages = [{ pattern: '/a', data: 'static' }] as Manifest['pages']
  const ends = { site: { semantics: { prerenderFaults: true }, rewrites: [], pages } }
  const error = 'pages/b/[id].tsx: /b/1 (pages/b/[id].tsx, id = "1") throws during the build: boom'
  await expect(run([LEFT, thrown, END], ends)).rejects.toThrow(new BuildError(error))
  expect((await run([LEFT, END], ends)).lines).toEqual(['left to the first request: /a: fetch failed'])
  expect((await run([thrown, END])).lines).toEqual(['left to the first request: /b/1: boom'])
  // A process that would never end is ended.
  const many = Array.from({ length: 20 }, () => thrown)
  await expect(run(many, { ...ends, after: 'setInterval(() => {}, 1000)' })).rejects.toThrow(error)
})

test.each([
  { after: 'setInterval(() => {}, 1000)', silenceLimitMs: 1000, reason: 'no page was finished within 1 s' },
  { after: 'process.exit(3)', silenceLimitMs: 60_000, reason: 'the process ended early (exit code 3)' },
])(
  'X9 a process that fails leaves all pages to the first request: $reason',
  async ({ after, silenceLimitMs, reason }) => {
    const { steps, manifest, written } = await run([], { after, silenceLimitMs })
    expect(steps.at(-1)).toBe(`No page was rendered, all are left to the first request: ${reason}`)
    expect([manifest.prerendered, written.buildId]).toEqual([undefined, 'b'])
  },
)

test('X9 in an app of Next.js a process that ends early ends the build; one that is late leaves the pages', async () => {
  const site = { semantics: { prerenderFaults: true }, rewrites: [] } as Partial<Manifest>
  await expect(run([], { site, after: 'process.exit(0)' })).rejects.toThrow(
    new BuildError('the pages cannot be rendered: the process ended early (exit code 0)'),
  )
  await expect(run([{ kind: 'failed', reason: 'no' }], { site })).rejects.toThrow(BuildError)
  const late = await run([], { site, after: 'setInterval(() => {}, 1000)', silenceLimitMs: 500 })
  expect(late.steps.at(-1)).toMatch(/no page was finished within/)
})

test('X9 the process receives the time for a page that the site sets, and is given longer', async () => {
  const after = `process.send({ ...${JSON.stringify(LEFT)}, reason: process.argv.slice(3).join() })
    process.send(${JSON.stringify(END)})
    process.disconnect()`
  expect((await run([], { after, pageLimitMs: 90_000 })).lines).toEqual(['left to the first request: /a: 90000'])
  expect((await run([], { after })).lines).toEqual(['left to the first request: /a: '])
})

test('X9 code of the build knows its phase with `buildPhase` only', async () => {
  const after = `process.send({ ...${JSON.stringify(LEFT)}, reason: String(process.env.NEXT_PHASE) })
    process.send(${JSON.stringify(END)})
    process.disconnect()`
  const phaseIn = async (semantics: Manifest['semantics']) => (await run([], { after, site: { semantics } })).lines
  expect(await phaseIn({ buildPhase: true })).toEqual(['left to the first request: /a: phase-production-build'])
  expect(await phaseIn({})).toEqual(['left to the first request: /a: undefined'])
})

test('X9 starts no process for a site whose pages are rendered for each request', async () => {
  expect((await run([], { data: 'server' })).steps).toEqual([])
})

test('X9 the manifest has the paths that a page lists, where another page or a rewrite may have its other paths', async () => {
  const patterns = ['/docs/[name]', '/posts/[id]', '/posts/[...path]']
  const pages = patterns.map((pattern) => ({ pattern, data: 'static' })) as Manifest['pages']
  const listed = {
    '/docs/[name]': ['d'],
    '/posts/[id]': ['p'],
    '/posts/[...path]': Array.from({ length: 5001 }, String),
  }
  const listedIn = async (site: Partial<Manifest>) => {
    const { written, lines } = await run([{ ...END, listed }], { site: { pages, rewrites: [], ...site } })
    return [...written.pages.map((page) => page.listed), ...lines]
  }
  const line = '/posts/[...path] lists more than 5000 paths: its other paths are those of no rewrite and no other page'
  expect(await listedIn({ semantics: { unlistedPaths: true } })).toEqual([undefined, ['p'], undefined, line])
  const rewrites = [{ source: '/a', destination: '/b' }]
  expect(await listedIn({ semantics: { unlistedPaths: true }, rewrites })).toEqual([['d'], ['p'], undefined, line])
  // Rules that come before files and pages decide without the list.
  const early = rewrites.map((rule) => ({ ...rule, phase: 'beforeFiles' as const }))
  expect(await listedIn({ semantics: { unlistedPaths: true }, rewrites: early })).toEqual([
    undefined,
    ['p'],
    undefined,
    line,
  ])
  expect(await listedIn({ rewrites })).toEqual([undefined, undefined, undefined])
})
