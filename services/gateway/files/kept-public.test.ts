import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@portico/shared/kit/observe/log.ts'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { KEPT_PUBLIC_BUILD_BYTES, KEPT_PUBLIC_FILE_BYTES } from '@portico/shared/wire/constants.ts'
import type { MiddlewareVerdict } from '@portico/shared/wire/middleware/verdict.ts'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { StoredFile } from '../exchange/reply.ts'
import {
  all,
  type GatewayOptions,
  send,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../testing/gateway-fixture.ts'
import { keptPublicName, publishTo } from '../testing.ts'
import { createDiskFileStore } from './file-store-disk.ts'
import { createKeptPublicFinder, keptPublicFiles, removeClosed } from './kept-public.ts'

const log = createLog('test', 'silent')
const folder = mkdtempSync(join(tmpdir(), 'kept-public-'))
const store = createDiskFileStore(folder)
const TEXT = 'text of an earlier build\n'.repeat(10)
const NAMES = [
  'plan.pdf',
  'a b.txt',
  'taken.txt',
  'left.txt',
  'gone.txt',
  'members/list.csv',
  'changed.txt',
  'deep/x.svg',
]
const page = (pattern: string) => ({
  pattern,
  file: `pages${pattern}.tsx`,
  data: 'none' as const,
  files: { module: '', imports: [], styles: [] },
})

let upstream: Upstream
let fresh: TestGateway
beforeAll(async () => {
  upstream = await startUpstream('upstream', {
    version: 'build1.env1',
    respond: (_request, response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('no page'),
  })
  const options: GatewayOptions = { upstreams: all(upstream), oldBuilds: store }
  const files = Object.fromEntries(NAMES.map((name) => [`public/${name}`, TEXT]))
  const old = await startGateway({ ...options, files })
  await publishTo(store, keptPublicFiles(old.build).files)
  await old.stop()
  fresh = await startGateway({
    ...options,
    files: { 'public/changed.txt': 'new' },
    manifest: {
      pages: [page('/taken.txt'), page('/places/[slug]')],
      redirects: [{ source: '/left.txt', destination: '/places/new', status: 307 }],
      rewrites: [{ source: '/gone.txt', destination: '/nowhere' }],
    },
  })
})
afterAll(async () => {
  await Promise.all([fresh.stop(), upstream.stop()])
  rmSync(folder, { recursive: true, force: true })
})

describe('public files of another build', () => {
  it.each(['/plan.pdf', '/a%20b.txt', '/deep/%78.svg'])(
    'G3 are sent where this build has nothing: %s',
    async (path) => {
      const response = await send(fresh.port, path)
      expect([response.status, response.text]).toEqual([200, TEXT])
      expect(response.headers['cache-control']).toBe('public, max-age=0, must-revalidate')
      expect(response.headers['x-content-type-options']).toBe('nosniff')
      const { etag = '' } = response.headers
      expect((await send(fresh.port, path, { headers: { 'if-none-match': etag } })).status).toBe(304)
      const part = await send(fresh.port, path, { headers: { range: 'bytes=0-3' } })
      expect([part.status, part.text]).toEqual([206, 'text'])
      const head = await send(fresh.port, path, { method: 'HEAD' })
      expect([head.status, head.headers['content-length'], head.text]).toEqual([200, String(TEXT.length), ''])
      const line = fresh.lines.findLast((each) => each.path === path)
      expect([line?.route, line?.by]).toEqual(['public', 'files'])
    },
  )

  it('G3 give way to files, pages, redirects and rewrites of this build', async () => {
    expect((await send(fresh.port, '/changed.txt')).text).toBe('new')
    expect((await send(fresh.port, '/taken.txt')).text).toBe('no page')
    expect((await send(fresh.port, '/left.txt')).status).toBe(307)
    expect((await send(fresh.port, '/gone.txt')).text).toBe('no page')
  })

  it('G3 are at their own address only', async () => {
    const others = [
      '/plan.PDF',
      '/plan.pdf/',
      '/x/plan.pdf',
      '/_portico/data/build1/plan.pdf',
      '/_portico/static/plan.pdf',
    ]
    for (const path of others) expect([path, (await send(fresh.port, path)).text]).not.toEqual([path, TEXT])
    expect((await send(fresh.port, '/plan.pdf', { method: 'PUT' })).status).toBe(405)
  })

  it('G3 are sources of images', async () => {
    expect((await send(fresh.sitePort, '/deep/x.svg')).text).toBe(TEXT)
    expect((await send(fresh.sitePort, '/gone.txt')).status).toBe(404)
    expect((await send(fresh.sitePort, '/unknown.png')).status).toBe(404)
  })

  it('G3 are not sent under development', async () => {
    const dev = await startGateway({ upstreams: all(upstream), oldBuilds: store, devMode: true })
    expect((await send(dev.port, '/plan.pdf')).text).toBe('no page')
    await dev.stop()
  })

  it.each<[MiddlewareVerdict, number, string]>([
    [{ kind: 'next', responseHeaders: [] }, 200, TEXT],
    [{ kind: 'refused', status: 404, responseHeaders: [] }, 404, 'no page'],
    [{ kind: 'rewrite', target: '/deep/x.svg', responseHeaders: [] }, 404, 'no page'],
  ])('X15 follow the middleware of this build: %j', async (verdict, status, text) => {
    const gateway = await startGateway({
      upstreams: all(upstream),
      oldBuilds: store,
      manifest: { middleware: { matchers: [{ source: '/:path*' }] } },
      verdicts: { request: async () => ({ kind: 'verdict', verdict }) },
    })
    const response = await send(gateway.port, '/plan.pdf')
    expect([response.status, response.text]).toEqual([status, text])
    if (status === 200) expect(response.headers['cache-control']).toBe('private, max-age=0, must-revalidate')
    await gateway.stop()
  })
})

const entry = (size: number) => ({ size, type: 'text/plain', etag: '"1"', encodings: { br: 1 } })
/** The names of the files that a build with these parts of its manifest publishes. */
function published(manifest: Partial<Manifest>, sizes: Record<string, number>) {
  const publicFiles = Object.fromEntries(Object.entries(sizes).map(([key, size]) => [key, entry(size)]))
  const whole = { basePath: '', redirects: [], rewrites: [], publicFiles, ...manifest } as unknown as Manifest
  const { files, leftOut } = keptPublicFiles({ dir: '/dist', manifest: whole })
  const keyOf = (name: string) => Object.keys(sizes).find((key) => keptPublicName(whole.basePath, key) === name)
  const counts = Object.fromEntries([...leftOut].map(([reason, entries]) => [reason, entries.length]))
  return { keys: files.map(({ name }) => keyOf(name)), leftOut: counts }
}

describe('what a build publishes', () => {
  const sizes = { '/open.txt': 1, '/members/list.csv': 2, '/members/a b.csv': 3 }
  const guarded = { keys: ['/open.txt'], leftOut: { guarded: 2 } }
  const condition = [{ type: 'cookie' as const, key: 'session' }]
  it.each([
    ['middleware', { middleware: { matchers: [{ source: '/members/:path*', missing: condition }] } }, guarded],
    [
      'a redirect',
      { redirects: [{ source: '/members/:path*', destination: '/log-in', status: 307, missing: condition }] },
      guarded,
    ],
    [
      'a rewrite before files',
      { rewrites: [{ source: '/members/:path*', destination: '/', phase: 'beforeFiles' }] },
      guarded,
    ],
    [
      'a redirect outside of basePath',
      {
        basePath: '/docs',
        redirects: [{ source: '/docs/members/:path*', destination: '/', status: 307, basePath: false }],
      },
      guarded,
    ],
    [
      'middleware for all paths',
      { middleware: { matchers: [{ source: '/:path*' }] } },
      { keys: [], leftOut: { guarded: 3 } },
    ],
    [
      'nothing',
      { rewrites: [{ source: '/members/:path*', destination: '/' }] },
      { keys: Object.keys(sizes), leftOut: {} },
    ],
  ])('X15 G3 is no file about which %s may decide', (_name, manifest, expected) => {
    expect(published(manifest as Partial<Manifest>, sizes)).toEqual(expected)
  })

  it('X15 G3 no longer is a file of an earlier build that this build guards', async () => {
    const name = keptPublicName('', '/members/list.csv')
    const middleware = { matchers: [{ source: '/members/:path*' }] }
    const publicFiles = { '/members/list.csv': entry(1) }
    const manifest = { basePath: '', redirects: [], rewrites: [], middleware, publicFiles } as unknown as Manifest
    const read = async () => Buffer.from('x')
    await publishTo(store, [{ folder: 'public', name, entry: { ...entry(1), encodings: {} }, read }])
    expect(await store.find('public', name)).toBeDefined()
    await removeClosed(store, keptPublicFiles({ dir: '/dist', manifest }).closed)
    expect(await store.find('public', name)).toBeUndefined()
  })

  it('G3 has limits for a file and for all files, and takes the smallest first', () => {
    const half = KEPT_PUBLIC_FILE_BYTES / 2
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`/half-${index}`, half]))
    const { keys, leftOut } = published({}, { '/huge': KEPT_PUBLIC_FILE_BYTES + 1, ...many, '/small': 1 })
    expect(keys[0]).toBe('/small')
    expect(keys).toHaveLength(1 + KEPT_PUBLIC_BUILD_BYTES / half - 1)
    expect(leftOut).toEqual({ 'file-size': 1, 'build-limit': 2 })
  })

  it('G3 has one name for each address', () => {
    expect(keptPublicName('/docs', '/x')).toBe(keptPublicName('', '/docs/x'))
    expect(keptPublicName('', '/x')).not.toBe(keptPublicName('', '/X'))
  })
})

describe('lookups of public files', () => {
  const file: StoredFile = { entry: entry(1), open: async () => ({ kind: 'memory', bytes: Buffer.from('x') }) }
  function finder(find: (name: string) => Promise<StoredFile | undefined>) {
    let now = 1000
    const names: string[] = []
    const oldBuilds = {
      find: (_folder: string, name: string) => {
        names.push(name)
        return find(name)
      },
    }
    const look = createKeptPublicFinder({ oldBuilds, basePath: '', log, now: () => now })
    return { look, names, pass: (ms: number) => (now += ms) }
  }

  test('G3 each path is looked up once in ten seconds, found or not', async () => {
    let stored: StoredFile | undefined
    const { look, names, pass } = finder(async () => stored)
    await Promise.all([look('/a'), look('/a')])
    expect(await look('/a')).toBeUndefined()
    expect(names).toHaveLength(1)
    stored = file
    pass(10_001)
    expect([await look('/a'), await look('/a'), await look('/%61')]).toEqual([file, file, file])
    expect(names).toHaveLength(2)
  })

  test('G3 a flood of unknown paths makes 16 lookups at a time', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const { look, names } = finder(() => promise)
    const all = Array.from({ length: 50 }, (_, index) => look(`/unknown-${index}`))
    expect(names).toHaveLength(16)
    resolve(undefined)
    expect((await Promise.all(all)).filter(Boolean)).toEqual([])
    await look('/next')
    expect(names).toHaveLength(17)
  })

  test('G3 a store that fails has no file', async () => {
    const { look } = finder(() => Promise.reject(new Error('away')))
    expect(await look('/a')).toBeUndefined()
    expect(await look('/%2e%2f')).toBeUndefined()
  })
})
