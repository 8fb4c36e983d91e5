// Explanations compared with what the gateway then does: the head of a response that it explains is the one that it sends.

import { beforeEach, describe, expect, it, test } from 'vitest'
import type { WhyExplanation, WhyQuestion } from '../explanation.ts'
import { send } from '../testing/gateway-fixture.ts'
import { guardedSite, SITE } from '../testing/guarded-gateway.ts'

const MANIFEST = {
  ...SITE,
  redirects: [
    { source: '/old/:path*', destination: '/posts/:path*', status: 308 as const },
    { source: '/mine', destination: '/me', status: 307 as const, has: [{ type: 'cookie' as const, key: 'a' }] },
  ],
  rewrites: [{ source: '/first', destination: '/posts/1' }],
  headers: [
    { source: '/:path*', headers: [{ key: 'x-all', value: 'yes' }] },
    { source: '/posts/:id', headers: [{ key: 'x-post', value: ':id' }] },
    { source: '/file.txt', headers: [{ key: 'cache-control', value: 'public, max-age=60' }] },
  ],
}

const FILES = { 'public/file.txt': 'file', 'public/large.txt': 'text '.repeat(100_000) }

const question = (url: string, more: Partial<WhyQuestion> = {}): WhyQuestion => ({
  method: 'GET',
  client: '127.0.0.1',
  run: false,
  url,
  ...more,
  headers: { host: 'site.test', ...more.headers },
})
const stepOf = ({ steps }: WhyExplanation, name: string) => steps.find(({ step }) => step === name)?.found
const headerOf = ({ response }: WhyExplanation, name: string) =>
  response?.headers.find((header) => header.name === name)

type Site = Awaited<ReturnType<typeof guardedSite>>
const siteOf = (matchers: { source: string }[] = []) =>
  guardedSite(() => ({ kind: 'next', responseHeaders: [['x-by', 'middleware']] }), {
    matchers,
    manifest: MANIFEST,
    files: FILES,
  })

describe('a site without middleware', () => {
  let site: Site
  beforeEach(async () => {
    site = await siteOf()
  })

  /** Headers of one response, or of the machine that sends it. */
  const VARYING = new Set(['x-request-id', 'date', 'connection', 'keep-alive', 'server-timing'])
  test.each<[string, Partial<WhyQuestion>?]>([
    ['/about'],
    ['/posts/1'],
    ['/first'],
    ['/posts/1', { headers: { 'accept-encoding': 'br' } }],
    ['/_portico/data/build1/posts/1.json'],
    ['/old/1?a=1'],
    ['/mine', { headers: { cookie: 'a=1' } }],
    ['/about/'],
    ['/file.txt'],
    ['/file.txt', { headers: { 'if-none-match': '*' } }],
    ['/file.txt', { headers: { range: 'bytes=1-2' } }],
    ['/large.txt', { headers: { 'accept-encoding': 'br' } }],
    ['/_portico/static/none.js'],
    ['/%E0%A4%A'],
    ['/about', { method: 'TRACE' }],
    ['/about', { method: 'PUT' }],
    ['/about', { headers: { 'if-none-match': '"x"' } }],
  ])('O9 explains %s %j as the response that the client then receives', async (url, more = {}) => {
    // Pages are in memory, and their compressed forms are made.
    const { method = 'GET', headers = {} } = more
    const request = () => send(site.gateway.port, url, { method, headers: { host: 'site.test', ...headers } })
    await request()
    await request()
    const { response } = await site.gateway.explain(question(url, more))
    expect(response?.isPartial).toBe(false)
    const received = await request()
    const explained = Object.entries(Object.groupBy(response!.headers, ({ name }) => name)).map(
      ([name, lines = []]): [string, string] => [name, lines.map(({ value }) => value).join(', ')],
    )
    const plain = (headers: [string, unknown][]) =>
      Object.fromEntries(headers.filter(([name]) => !VARYING.has(name)).map(([name, value]) => [name, String(value)]))
    expect([response!.status, plain(explained)]).toEqual([received.status, plain(Object.entries(received.headers))])
  })

  it('O9 names the rule, the page, its entry and the cause of each header', async () => {
    const before = await site.gateway.explain(question('/posts/77'))
    expect(before.page).toEqual({ pattern: '/posts/[id]', params: { id: '77' }, data: 'static' })
    expect(before.cache).toMatchObject({ entry: 'none', decision: 'fill', isTrusted: true })
    expect(before.response).toMatchObject({ by: 'renderer', isPartial: true })
    // Explaining fills nothing.
    expect((await site.gateway.explain(question('/posts/77'))).cache).toMatchObject({ entry: 'none' })
    await send(site.gateway.port, '/posts/77')
    const after = await site.gateway.explain(question('/posts/77'))
    const [home] = after.replicas.filter(({ isHome }) => isHome)
    expect(after.cache).toMatchObject({ entry: 'fresh', decision: 'hit', path: '/posts/77', madeBy: home?.name })
    expect(after.cache?.key).toBe('build1.x ["77"] /posts/[id]')
    expect(after.response).toMatchObject({ by: 'memory', status: 200, storedBy: { who: 'everyone, after asking' } })
    expect(headerOf(after, 'x-post')).toEqual({ name: 'x-post', value: '77', because: 'headers[1] (/posts/:id)' })
    expect(headerOf(after, 'x-all')?.because).toBe('headers[0] (/:path*)')
    expect(headerOf(after, 'etag')?.because).toBe('entry')
    expect(headerOf(after, 'referrer-policy')?.because).toBe('default')
    expect(after.steps.at(-1)).toEqual({ step: 'respond', found: 'page /posts/[id]', isLast: true })
  })

  it('O9 names redirects, rewrites and what a rule says of caches', async () => {
    const moved = await site.gateway.explain(question('/old/1'))
    expect(moved.steps.at(-1)).toEqual({ step: 'redirects', found: 'redirects[0]: 308 to /posts/1', isLast: true })
    const ofClient = await site.gateway.explain(question('/mine', { headers: { cookie: 'a=1' } }))
    expect(ofClient.response?.storedBy).toEqual({ who: 'no cache', because: 'a rule was compared with this client' })
    const first = await site.gateway.explain(question('/first'))
    expect([stepOf(first, 'rewrites'), first.page?.pattern]).toEqual(['rewrites[0] led to /posts/1', '/posts/[id]'])
    const file = await site.gateway.explain(question('/file.txt'))
    expect(headerOf(file, 'cache-control')?.because).toBe('headers[2] (/file.txt)')
    expect(file.response).toMatchObject({ by: 'file', storedBy: { who: 'everyone' } })
  })

  it.each([
    ['/me', 'the page has a data function that runs for each request'],
    ['/none', undefined],
  ])('O9 says of %s why memory cannot serve it', async (url, bypass) => {
    expect((await site.gateway.explain(question(url))).cache?.bypass).toBe(bypass)
  })

  it('O9 names the limits of a POST, and asks for no turn', async () => {
    const { limits, response } = await site.gateway.explain(question('/api/me', { method: 'POST' }))
    expect(limits.map(({ name }) => name)).toContain('requests of one client that change something')
    expect(response).toMatchObject({ by: 'actions', isPartial: true })
  })

  it('G7 the access line has the rules that applied, and why memory served nothing', async () => {
    const lineOf = async (path: string, headers: Record<string, string> = {}) => {
      await send(site.gateway.port, path, { headers })
      const line = () => site.gateway.lines.findLast((each) => each.path === path.split('?')[0])
      await expect.poll(line).toBeDefined()
      const { rules, uncached, verdict } = line()!
      return { rules, uncached, verdict }
    }
    expect(await lineOf('/old/7')).toEqual({ rules: ['redirects[0]', 'headers[0]'] })
    expect(await lineOf('/first')).toEqual({ rules: ['rewrites[0]', 'headers[0]'] })
    expect(await lineOf('/me')).toEqual({ rules: ['headers[0]'], uncached: 'per-request' })
  })
})

describe('a site with middleware', () => {
  let site: Site
  beforeEach(async () => {
    site = await siteOf([{ source: '/posts/:path*' }])
  })

  it('O9 runs it only if the question says so', async () => {
    const quiet = await site.gateway.explain(question('/posts/1'))
    expect([stepOf(quiet, 'middleware'), site.guard.questions.length]).toEqual([
      'a matcher fits, and middleware was not run: what follows is for a request that it lets pass unchanged',
      0,
    ])
    const run = await site.gateway.explain(question('/posts/1', { run: true }))
    expect(stepOf(run, 'middleware')).toBe('middleware lets the request pass, and sets x-by')
    expect(site.guard.questions).toHaveLength(1)
    const free = await site.gateway.explain(question('/about', { run: true }))
    expect(stepOf(free, 'middleware')).toBe('no matcher fits the address')
    expect(site.guard.questions).toHaveLength(1)
  })

  it.each([
    [{ kind: 'refused', status: 403, responseHeaders: [] }, 'middleware refuses with 403', 403],
    [{ kind: 'redirect', status: 307, location: '/in', responseHeaders: [] }, 'middleware redirects, 307 to /in', 307],
    [{ kind: 'response', status: 418, body: '', responseHeaders: [] }, 'middleware responds 418', 418],
  ])('O9 names what it decides: %j', async (verdict, found, status) => {
    site.guard.decide = () => verdict
    const explained = await site.gateway.explain(question('/posts/1', { run: true }))
    expect(explained.steps.at(-1)).toEqual({ step: 'middleware', found, isLast: true })
    expect(explained.response?.status).toBe(status)
    const received = await send(site.gateway.port, '/posts/1')
    expect(received.status).toBe(status)
    await expect.poll(() => site.gateway.lines.findLast(({ path }) => path === '/posts/1')?.verdict).toBe(verdict.kind)
  })
})
