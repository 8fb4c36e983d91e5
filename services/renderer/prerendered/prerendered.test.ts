// Pages of the build as entries of the page cache: which of them are current, over a feed with a store in memory.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFeed } from '@portico/shared/kit/feed/feed.ts'
import type { MarksSince } from '@portico/shared/kit/feed/generations.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import { messageOf } from '@portico/shared/kit/testing/changes.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { ServerBundle } from '@portico/shared/wire/bundles.ts'
import { afterEach, expect, test } from 'vitest'
import { type CachedPage, createMemoryPageCache } from '../cache/cache.ts'
import type { RenderDeps } from '../context/context.ts'
import { createPageLookUp } from '../pages/look-up-page.ts'
import { openPrerendered, writeIndex, writeKnownPath, writePage } from './prerendered.ts'

/** When the build rendered the page. */
const RENDERED_AT = 1_000_000
const NO_MARKS: MarksSince = { epoch: '', generation: 0, floor: 0, marks: [] }
/** What the page is like after a render of this process. */
const RENDERED = 'rendered by this process'
const FILES = { module: '', imports: [], styles: [] }
const PAGE = {
  entry: { pattern: '/notes/[name]', file: '', data: 'static' as const, files: FILES },
  params: { name: 'a' },
}
const KEY = '["a"] /notes/[name]'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close()
})

interface SetUp {
  store?: MarksSince
  renderedAt?: number
  freshForMs?: number
  publicEnvHash?: string
  limitBytes?: number
  isAway?: boolean
}

async function setUp({ store = NO_MARKS, renderedAt = RENDERED_AT, freshForMs, ...rest }: SetUp = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'portico-prerendered-'))
  closing.push(() => rmSync(dir, { recursive: true }))
  const folder = join(dir, 'prerendered/p')
  mkdirSync(folder, { recursive: true })
  const outcome: CachedPage = {
    kind: 'page',
    html: Buffer.from('built \u00e9\n'),
    htmlEtag: '"h"',
    data: Buffer.from('{"kind":"page","route":"/notes/[name]","params":{"name":"a"},"props":{"of":"the build"}}'),
    dataEtag: '"d"',
  }
  await writePage(folder, KEY, { outcome, renderedAt, freshForMs, tags: ['notes'] })
  await writeKnownPath(folder, '["left"] /notes/[name]')
  const paths = {
    '/notes/[name]': { fallback: false, first: [{ params: { name: 'a' } }, { params: { name: 'left' } }] },
  }
  await writeIndex(folder, { buildId: 'b', publicEnvHash: 'values', paths })

  const state = { store, isAway: rest.isAway ?? false }
  const clock = { now: 1000, wall: renderedAt + 5000 }
  const log = createLog('test', 'silent')
  const reader = {
    read: async (since: number) => {
      if (state.isAway) throw new Error('unavailable')
      return { ...state.store, marks: state.store.marks.filter(({ generation }) => generation > since) }
    },
    close: () => {},
  }
  const feed = createFeed({ log, reader, now: () => clock.now })
  closing.push(feed.close)
  const runs: unknown[] = []
  let hasContent = false
  const bundle: Partial<ServerBundle> = {
    pages: {
      '/notes/[name]': async () => ({
        getStaticPaths: () => {
          if (!hasContent) throw new Error('the folder is not in the image')
          return { paths: ['/notes/a'], fallback: false }
        },
        getStaticProps: ({ revalidateReason }) => {
          runs.push(revalidateReason)
          return { props: {}, ...(freshForMs !== undefined && { revalidate: freshForMs / 1000 }) }
        },
      }),
    },
    render: async ({ hydration }) => ({
      kind: 'html',
      html: `${RENDERED} ${JSON.stringify(hydration.props)}`,
      incomplete: false,
      scriptHashes: [],
    }),
    runWithContext: (_context, run) => run(),
  }
  const manifest = {
    semantics: {},
    buildId: 'b',
    prerendered: 'p',
    basePath: '',
    trailingSlash: false,
    pages: [PAGE.entry],
    screens: [],
  }
  const { publicEnvHash = 'values', limitBytes = 1024 * 1024 } = rest
  const open = { dir, manifest: manifest as unknown as Manifest }
  const prerendered = await openPrerendered(open, { feed, publicEnvHash, log, wallNow: () => clock.wall })
  const deps = {
    bundle,
    manifest,
    feed,
    prerendered,
    log,
    cache: createMemoryPageCache({ limitBytes, feed }),
    after: { begin: () => ({ add: () => {}, start: () => {} }) },
    policies: { of: () => undefined },
    publicEnv: { values: {}, hash: publicEnvHash },
    now: () => clock.now,
  }
  // A look-up uses no other dependency of a renderer.
  const { lookUp, known } = createPageLookUp(deps as unknown as RenderDeps)
  return {
    /** Another build has replaced that of this process, next to the sources. */
    replaceBuild() {
      hasContent = true
      rmSync(folder, { recursive: true })
    },
    /** Changes the files of all pages. */
    damage(change: (bytes: Buffer) => Buffer) {
      for (const name of readdirSync(folder)) {
        const file = join(folder, name)
        const bytes = readFileSync(file)
        if (name !== 'index.json' && bytes.length > 0) writeFileSync(file, change(bytes))
      }
    },
    state,
    clock,
    feed,
    runs,
    known,
    /** The marks are read again before the look-up. */
    async find(params = PAGE.params) {
      clock.now += 1000
      clock.wall += 1000
      const { found } = await lookUp(
        { ...PAGE, params },
        { needed: { generation: 0 }, requestId: '', acceptsShell: true },
      )
      if (found.kind !== 'entry') return found.kind
      const { entry, verdict } = found
      const text = entry.outcome.kind === 'page' ? entry.outcome.html.toString() : entry.outcome.kind
      return { text, verdict, ageMs: clock.now - entry.storedAt }
    },
  }
}

const markOf = (generation: number, change: { path: string } | { tag: string } = { tag: 'notes' }): MarksSince => {
  const [kind, name] = 'tag' in change ? (['tag', change.tag] as const) : (['path', change.path] as const)
  return { epoch: 'e', generation, floor: 0, marks: [{ kind, name, generation }] }
}

test('X9 a page of the build is the first entry, its age counts from the render, and no data function runs', async () => {
  const { find, runs } = await setUp()
  expect(await find()).toEqual({ text: 'built \u00e9\n', verdict: 'HIT', ageMs: 6000 })
  expect(await find()).toEqual({ text: 'built \u00e9\n', verdict: 'HIT', ageMs: 7000 })
  expect(runs).toEqual([])
})

test('X9 getStaticPaths of the build decides, where its folder is missing at run time', async () => {
  const { find, known, runs } = await setUp()
  expect(await find({ name: 'other' })).toBe('not-found')
  expect(await known(200)).toEqual([PAGE, { ...PAGE, params: { name: 'left' } }])
  // The build has left the page to the first request.
  expect(await find({ name: 'left' })).toMatchObject({ text: `${RENDERED} {}`, verdict: 'MISS' })
  expect(runs).toEqual(['stale'])
})

test('X9 after another build of the folder a renderer that still runs renders its own pages', async () => {
  const { find, replaceBuild } = await setUp()
  replaceBuild()
  expect(await find()).toMatchObject({ text: `${RENDERED} {}`, verdict: 'MISS' })
  expect(await find({ name: 'other' })).toBe('not-found')
})

test.each<[string, (bytes: Buffer) => Buffer]>([
  ['cut short', (bytes) => bytes.subarray(0, -5)],
  ['cut within the checksum', (bytes) => bytes.subarray(0, 20)],
  ['whose end is zeros', (bytes) => bytes.fill(0, bytes.length - 50)],
  ['of zeros', (bytes) => bytes.fill(0)],
  ['with another time', (bytes) => Buffer.from(bytes.toString('latin1').replace('1000000', '2000000'), 'latin1')],
])('X9 a file %s is not shown, and the page is rendered', async (_damage, change) => {
  const { find, damage } = await setUp()
  damage(change)
  expect(await find()).toMatchObject({ text: `${RENDERED} {}`, verdict: 'MISS' })
})

test('X9 a page that is older than its revalidate is shown once more, and never after its refresh', async () => {
  // Memory for one page.
  const { find, runs } = await setUp({ freshForMs: 3000, limitBytes: 1200 })
  expect(await find()).toMatchObject({ text: 'built \u00e9\n', verdict: 'STALE', ageMs: 6000 })
  await expect.poll(() => find()).toMatchObject({ text: `${RENDERED} {}`, verdict: 'HIT' })
  await find({ name: 'left' })
  expect(await find()).toMatchObject({ text: `${RENDERED} {}`, verdict: 'MISS' })
  expect(runs.every((reason) => reason === 'stale')).toBe(true)
})

test.each([{ path: '/notes/a' }, { tag: 'notes' }])(
  'X9 a mark of %j later than the render makes it out of date',
  async (change) => {
    const { find, runs } = await setUp({ store: markOf(RENDERED_AT + 1, change) })
    expect(await find()).toMatchObject({ text: `${RENDERED} {}`, verdict: 'MISS' })
    expect(runs).toEqual(['on-demand'])
  },
)

test('X9 an earlier mark, and marks of other pages, do not', async () => {
  expect(await (await setUp({ store: markOf(RENDERED_AT) })).find()).toMatchObject({ verdict: 'HIT' })
  const others = markOf(RENDERED_AT + 1, { path: '/notes/b' })
  expect(await (await setUp({ store: others })).find()).toMatchObject({ verdict: 'HIT' })
})

test('X9 a change after the start makes it out of date, also if the clock of the build was fast', async () => {
  const { find, state } = await setUp({ store: markOf(RENDERED_AT - 10), renderedAt: RENDERED_AT + 99_999 })
  expect(await find()).toMatchObject({ verdict: 'HIT' })
  state.store = markOf(RENDERED_AT)
  expect(await find()).toMatchObject({ text: `${RENDERED} {}` })
  const other = await setUp()
  expect(await other.find()).toMatchObject({ verdict: 'HIT' })
  other.feed.apply(messageOf({ tags: ['notes'] }))
  expect(await other.find()).toMatchObject({ text: `${RENDERED} {}` })
})

test('X9 the first change of a store that has never counted makes the pages that it names out of date, and no others', async () => {
  const named = await setUp()
  const other = await setUp()
  for (const { find } of [named, other]) expect(await find()).toMatchObject({ verdict: 'HIT' })
  named.state.store = markOf(RENDERED_AT - 500)
  other.state.store = markOf(RENDERED_AT + 9000, { path: '/notes/b' })
  expect(await named.find()).toMatchObject({ text: `${RENDERED} {}` })
  expect(await other.find()).toMatchObject({ text: 'built \u00e9\n', verdict: 'HIT' })
  expect(other.runs).toEqual([])
})

test('X9 is not used before the marks are known, nor after the store has lost them', async () => {
  const away = await setUp({ isAway: true })
  expect(await away.find()).toMatchObject({ text: `${RENDERED} {}` })
  const lost = await setUp({ store: markOf(RENDERED_AT - 10) })
  expect(await lost.find()).toMatchObject({ verdict: 'HIT' })
  lost.state.store = { ...NO_MARKS, epoch: 'another' }
  expect(await lost.find()).toMatchObject({ text: `${RENDERED} {}` })
})

test('X9 a document with other public values is rendered from its data, and no data function runs', async () => {
  const { find, runs } = await setUp({ publicEnvHash: 'other' })
  expect(await find()).toEqual({ text: `${RENDERED} {"of":"the build"}`, verdict: 'HIT', ageMs: 6000 })
  expect(runs).toEqual([])
})
