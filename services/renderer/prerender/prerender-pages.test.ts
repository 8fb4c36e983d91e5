// Which pages the build keeps, and why it leaves others to the first request.

import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDataCache } from '@portico/shared/kit/cache/data-cache.ts'
import { createFeed } from '@portico/shared/kit/feed/feed.ts'
import { createAfterTasks } from '@portico/shared/kit/life/after/after-tasks.ts'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { EnvValues, PageModule, RequestContext, ServerBundle } from '@portico/shared/wire/bundles.ts'
import type { PrerenderMessage } from '@portico/shared/wire/prerender/prerender-messages.ts'
import { afterEach, expect, test } from 'vitest'
import type { RenderDeps } from '../context/context.ts'
import { isKnownPath, readIndex, readPage } from '../testing.ts'
import { prerenderPages } from './prerender-pages.ts'
import { createValuesOfStart } from './values-of-start.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close()
})

/** As in the runtime. */
const contexts = new AsyncLocalStorage<RequestContext>()
const contextOfPage = () => contexts.getStore()!
/** `env` of the site; the value KEY is missing. */
let secrets: EnvValues

async function prerender(pages: Record<string, Omit<PageModule, 'default'> & { view?: () => string }>) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-prerender-'))
  closing.push(() => rmSync(folder, { recursive: true }))
  const values = createValuesOfStart({ SITE: 'here' })
  secrets = values.env({ OTHER: 'set' }, ['KEY'])
  const bundle: Partial<ServerBundle> = {
    pages: Object.fromEntries(Object.entries(pages).map(([pattern, module]) => [pattern, async () => module])),
    render: async ({ route, hydration }) => {
      const html = `${pages[route]?.view?.() ?? ''} ${JSON.stringify(hydration.props)} ${JSON.stringify(hydration.publicEnv)}`
      return { kind: 'html', html, incomplete: false, scriptHashes: [] }
    },
    runWithContext: (given, run) => contexts.run(given, run),
  }
  const log = createLog('test', 'silent')
  const feed = createFeed({ log })
  const dataCache = createDataCache({ feed, limitBytes: 1024 * 1024 })
  const files = { module: '', imports: [], styles: [] }
  const entries = Object.entries(pages).map(([pattern, page]) => {
    const data = page.getServerSideProps ? 'server' : page.getStaticProps ? 'static' : 'none'
    return { pattern, file: '', data, files }
  })
  const manifest = {
    buildId: 'b',
    basePath: '',
    semantics: {},
    trailingSlash: false,
    pages: entries.filter(({ pattern }) => pattern !== '/404'),
    screens: entries.filter(({ pattern }) => pattern === '/404'),
  }
  const deps: Partial<RenderDeps> = {
    after: createAfterTasks(log),
    manifest: manifest as unknown as Manifest,
    bundle: bundle as ServerBundle,
    feed,
    dataCache: (view) => values.dataCache(dataCache(view)),
    publicEnv: { values: { SITE: 'here' }, hash: 'h' },
    policies: { of: () => undefined },
    fetchSite: fetch,
    observed: values.context,
    log,
    now: () => performance.now(),
  }
  const messages: PrerenderMessage[] = []
  const send = (message: PrerenderMessage) => void messages.push(message)
  // Rendering uses no other dependency.
  const end = await prerenderPages({ deps: deps as RenderDeps, values, folder, send, wallNow: () => 5000 })
  const left = messages.flatMap((message) => (message.kind === 'left' ? [`${message.path}: ${message.reason}`] : []))
  const thrown = messages.flatMap((message) => (message.kind === 'left' && message.thrown ? [message] : []))
  return { folder, left: left.sort(), thrown, ...end }
}

test('X9 keeps pages with and without data, known paths and the screen for paths without a page', async () => {
  const arguments_: unknown[] = []
  const { folder, left, rendered } = await prerender({
    '/': { getStaticProps: ({ revalidateReason }) => ({ props: { revalidateReason }, revalidate: 60, tags: ['t'] }) },
    '/about': {},
    '/live': { getServerSideProps: () => ({ props: {} }) },
    '/notes/[name]': {
      getStaticPaths: (given) => {
        arguments_.push(given)
        return { paths: ['/notes/a', { params: { name: 'b' } }, '/notes/b'], fallback: false }
      },
      getStaticProps: ({ params }) => (params?.name === 'b' ? { notFound: true } : { props: params ?? {} }),
    },
    '/old': { getStaticProps: () => ({ redirect: { destination: '/', permanent: true } }) },
    '/on-demand/[name]': { getStaticProps: () => ({ props: {} }) },
    '/404': {},
  })
  expect([left, rendered]).toEqual([[], 6])
  // As Next.js calls it in an app without locales.
  expect(arguments_).toStrictEqual([{ locales: undefined, defaultLocale: undefined }])
  const home = await readPage(folder, '[] /')
  expect(home).toMatchObject({ renderedAt: 5000, freshForMs: 60_000, tags: ['t'], outcome: { kind: 'page' } })
  const { html, data } = home?.outcome.kind === 'page' ? home.outcome : {}
  expect(html?.toString()).toContain('{"revalidateReason":"build"}')
  expect(data?.toString()).toBe('{"kind":"page","route":"/","params":{},"props":{"revalidateReason":"build"}}')
  expect((await readPage(folder, '["a"] /notes/[name]'))?.outcome.kind).toBe('page')
  expect((await readPage(folder, '["b"] /notes/[name]'))?.outcome).toEqual({ kind: 'not-found' })
  expect((await readPage(folder, '[] /old'))?.outcome).toEqual({ kind: 'redirect', location: '/', status: 308 })
  expect((await readPage(folder, '[] /404'))?.outcome.kind).toBe('page')
  expect(await readPage(folder, '[] /live')).toBeUndefined()
  const paths = { '/notes/[name]': { fallback: false, first: [{ params: { name: 'a' } }, { params: { name: 'b' } }] } }
  expect(await readIndex(folder, 'b')).toEqual({ buildId: 'b', publicEnvHash: 'h', paths })
  await expect(readIndex(folder, 'other')).rejects.toThrow('not of this build')
})

test('X9 leaves a page that reads a value of the running site, also where its code catches the error', async () => {
  const props = () => ({ props: {} })
  const cachedData = async () => {
    const { dataCache, publicEnv, usedTags } = contextOfPage()
    const load = async () => ({ json: String(publicEnv?.SITE), tags: ['t'] })
    const kept = await dataCache?.read('key', { tags: ['t'], revalidateSeconds: undefined, load })
    for (const tag of kept?.tags ?? []) usedTags?.add(tag)
    return { props: {} }
  }
  const { left, thrown, rendered, folder } = await prerender({
    '/public': { getStaticProps: () => ({ props: { site: contextOfPage().publicEnv?.SITE } }) },
    '/shown': { getStaticProps: props, view: () => String(contextOfPage().publicEnv?.SITE) },
    '/signed': { view: () => String(contextOfPage().signBound?.('a', [1])) },
    '/fetched': {
      getStaticProps: async () => ({
        props: { error: String(await contextOfPage().fetchSite!('/a', {}).catch(String)) },
      }),
    },
    '/secret': {
      getStaticProps: () => {
        try {
          return { props: { key: secrets.KEY } }
        } catch {
          return props()
        }
      },
    },
    '/failed': {
      getStaticProps: () => {
        throw new Error('fetch failed', { cause: new Error('connect ECONNREFUSED\nmore') })
      },
    },
    '/listed/[id]': {
      getStaticPaths: () => {
        throw new Error('no folder')
      },
      getStaticProps: props,
    },
    '/cached-one': { getStaticProps: cachedData },
    '/cached-two': { getStaticProps: cachedData },
    '/plain': { getStaticProps: () => ({ props: { other: secrets.OTHER } }) },
  })
  expect(left).toEqual([
    "/cached-one: reads publicEnv('SITE')",
    "/cached-two: reads publicEnv('SITE')",
    '/failed: fetch failed: connect ECONNREFUSED',
    '/fetched: requests a path of the site, which does not run during the build',
    '/listed/[id]: getStaticPaths failed: no folder',
    "/public: reads publicEnv('SITE')",
    '/secret: reads env.KEY, which has no value during the build',
    "/shown: reads publicEnv('SITE')",
    '/signed: has a form with bound arguments, which only the running site signs',
  ])
  // A later render may succeed in the others.
  expect(thrown.map(({ path, thrown }) => [path, thrown?.stack.split('\n')[0]]).sort()).toEqual([
    ['/failed', 'Error: fetch failed'],
    ['/listed/[id]', 'Error: no folder'],
  ])
  // A known path without an entry.
  expect([await isKnownPath(folder, '[] /public'), await readPage(folder, '[] /public')]).toEqual([true, undefined])
  expect(rendered).toBe(1)
})

test('X9 the hash depends on what pages contain, not on the order in which they end', async () => {
  const page = (text: string, waitMs = 0) => ({
    getStaticProps: async () => {
      await new Promise((done) => setTimeout(done, waitMs))
      return { props: { text } }
    },
  })
  const one = await prerender({ '/a': page('a', 20), '/b': page('b') })
  const two = await prerender({ '/a': page('a'), '/b': page('b', 20) })
  const other = await prerender({ '/a': page('a'), '/b': page('c') })
  expect(two.hash).toBe(one.hash)
  expect(other.hash).not.toBe(one.hash)
})
