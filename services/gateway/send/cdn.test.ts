// What a CDN in front may keep: a gateway with CDN_TAGS=on, its page cache, and a renderer that speaks the wire format.

import { describe, expect, it, test } from 'vitest'
import { readGatewayConfig } from '../config.ts'
import { cachedGateway, MANIFEST, type Renderer, rendererOf } from '../pages/testing/cached-gateway.ts'
import { outcomeEntry, pageEntry } from '../pages/testing/entries.ts'
import { type GatewayOptions, send, type TestGateway } from '../testing/gateway-fixture.ts'

const DATA = '/_portico/data/build1/about.json'
const SHARED = 'public, max-age=0, must-revalidate'
const STALE = 'stale-while-revalidate=86400, stale-if-error=86400'

async function cdnGateway(renderer: Renderer, manifest: GatewayOptions['manifest'] = {}) {
  return cachedGateway(renderer, { hasCdnTags: true, manifest: { ...MANIFEST, ...manifest } })
}

/** What caches see of a response. */
async function seen({ port }: TestGateway, path: string, options: Parameters<typeof send>[2] = {}) {
  const { status, headers } = await send(port, path, options)
  return {
    status,
    browser: headers['cache-control'],
    cdn: headers['cdn-cache-control'],
    tags: headers['cache-tag'],
    verdict: headers['x-portico-cache'],
  }
}

const refused = { cdn: 'no-store', tags: undefined }

test('C6 W5 the setting is refused without the page cache, which has the tags', () => {
  const read = (GATEWAY_CACHE_MB: string) => readGatewayConfig({ CDN_TAGS: 'on', GATEWAY_CACHE_MB }, () => {})
  expect(read('8').hasCdnTags).toBe(true)
  expect(() => read('0')).toThrow('CDN_TAGS="on": must be off where GATEWAY_CACHE_MB is 0')
})

describe('entries', () => {
  it('C6 a page and its data have the lifetimes of the entry and its tags, from the first response on', async () => {
    const renderer = await rendererOf()
    renderer.entry = () => pageEntry('page', { tags: ['posts', 'a,b'], freshMs: 60_000, ageMs: 1500 })
    const gateway = await cdnGateway(renderer)
    const kept = {
      status: 200,
      browser: SHARED,
      cdn: `public, max-age=60, ${STALE}`,
      tags: 'posts,a%2Cb,path~%2Fabout,version~build1.x',
    }
    expect(await seen(gateway, '/about')).toEqual({ ...kept, verdict: 'MISS' })
    expect(await seen(gateway, '/about?utm=1')).toEqual({ ...kept, verdict: 'HIT' })
    expect(await seen(gateway, DATA)).toEqual({ ...kept, verdict: 'HIT' })
    const { headers } = await send(gateway.port, '/about')
    const options = { headers: { 'if-none-match': headers.etag! } }
    expect(await seen(gateway, '/about', options)).toEqual({ ...kept, status: 304, verdict: 'HIT' })
  })

  it('C6 a page without a lifetime is kept for a day after it arrives, whatever its age', async () => {
    const renderer = await rendererOf()
    renderer.entry = () => pageEntry('page', { ageMs: 3_000_000 })
    const gateway = await cdnGateway(renderer)
    expect((await seen(gateway, '/about')).cdn).toBe(`public, max-age=${3000 + 86_400}, ${STALE}`)
  })

  it('C6 without the setting no response has a header for a CDN', async () => {
    const gateway = await cachedGateway(await rendererOf())
    expect(await seen(gateway, '/about')).toMatchObject({ browser: SHARED, cdn: undefined, tags: undefined })
  })

  it('C6 a renewed entry has its new tags', async () => {
    const renderer = await rendererOf()
    renderer.entry = () => pageEntry('page', { tags: ['one'], freshMs: 1000 })
    const gateway = await cdnGateway(renderer)
    expect((await seen(gateway, '/about')).tags).toMatch(/^one,/)
    renderer.entry = () => outcomeEntry({ kind: 'unchanged' }, { tags: ['two'], freshMs: 1000 })
    gateway.state.offsetMs += 2000
    expect(await seen(gateway, '/about')).toMatchObject({ verdict: 'STALE', cdn: `public, max-age=1, ${STALE}` })
    await expect.poll(async () => (await seen(gateway, '/about')).tags).toMatch(/^two,/)
  })

  it('C6 an entry that a change may name is not kept: made before the change, or while the marks are unknown', async () => {
    const renderer = await rendererOf()
    const gateway = await cdnGateway(renderer)
    renderer.entry = async () => {
      const { generation } = await gateway.store.raise({ paths: ['/about'], tags: [] })
      await expect.poll(() => gateway.feed.position().generation).toBe(generation)
      return pageEntry('old')
    }
    expect(await seen(gateway, '/about')).toMatchObject({ status: 200, ...refused })
    renderer.entry = () => pageEntry('new', { confirmation: 'away' })
    gateway.loseStore()
    expect(await seen(gateway, '/about')).toMatchObject({ status: 200, browser: SHARED, ...refused })
  })

  it('C6 a page with more tags than a CDN reads is not kept, and a line names the page', async () => {
    const renderer = await rendererOf()
    renderer.entry = () => pageEntry('page', { tags: Array.from({ length: 127 }, (_, at) => `t${at}`) })
    const gateway = await cdnGateway(renderer)
    for (let request = 0; request < 2; request++) expect(await seen(gateway, '/about')).toMatchObject(refused)
    const lines = gateway.lines.filter(({ event }) => event === 'cdn-tags')
    expect(lines).toEqual([expect.objectContaining({ path: '/about', tags: 127 })])
  })

  test.each<[string, Renderer['entry']]>([
    [
      'a redirect',
      () => outcomeEntry({ kind: 'redirect', status: 307, location: '/x' }, {}, { data: Buffer.from('{}') }),
    ],
    [
      'a missing page',
      ({ pattern }) => (pattern === '/404' ? pageEntry('screen', {}, 404) : outcomeEntry({ kind: 'not-found' })),
    ],
    ['an error', () => outcomeEntry({ kind: 'error', code: 'internal' }, {}, { html: Buffer.from('screen') })],
  ])('C6 %s is not kept', async (_name, entry) => {
    const renderer = await rendererOf()
    renderer.entry = entry
    const gateway = await cdnGateway(renderer)
    for (const path of ['/about', DATA]) expect(await seen(gateway, path)).toMatchObject(refused)
  })
})

describe('rules', () => {
  const has = [{ type: 'cookie' as const, key: 'beta' }]

  it('C6 a rewrite, redirect or header rule with a condition keeps the pages that it was compared for out of the CDN', async () => {
    const renderer = await rendererOf()
    for (const rule of [
      { rewrites: [{ source: '/posts/:id', destination: '/about', has }] },
      { redirects: [{ source: '/posts/:id', destination: '/about', status: 307 as const, has }] },
      { headers: [{ source: '/posts/:id', headers: [{ key: 'x-beta', value: '1' }], has }] },
    ]) {
      const gateway = await cdnGateway(renderer, rule)
      for (const headers of [{}, { cookie: 'beta=1' }] as Record<string, string>[])
        for (const path of ['/posts/a', '/_portico/data/build1/posts/a.json']) {
          const { browser, cdn, tags } = await seen(gateway, path, { headers })
          expect({ path, cdn, tags }).toEqual({ path, ...refused })
          expect(browser ?? '').not.toMatch(/public/)
        }
      // No rule is compared with the path.
      expect(await seen(gateway, '/about')).toMatchObject({ browser: SHARED, cdn: expect.stringContaining('public') })
    }
    const browser = (
      await seen(
        await cdnGateway(renderer, { rewrites: [{ source: '/posts/:id', destination: '/about', has }] }),
        '/posts/a',
      )
    ).browser
    expect(browser).toBe('private, max-age=0, must-revalidate')
  })

  it('C6 a page whose fixed path wins over the rewrites stays in the CDN', async () => {
    const gateway = await cdnGateway(await rendererOf(), { rewrites: [{ source: '/:any*', destination: '/me', has }] })
    expect(await seen(gateway, '/about', { headers: { cookie: 'beta=1' } })).toMatchObject({
      browser: SHARED,
      tags: expect.any(String),
    })
  })

  it('C6 a rule that sets a cookie keeps the page out of the CDN, and no rule replaces the tags', async () => {
    const headers = [
      { source: '/about', headers: [{ key: 'Set-Cookie', value: 'a=1' }] },
      {
        source: '/posts/:id',
        headers: [
          { key: 'CDN-Cache-Control', value: 'max-age=9' },
          { key: 'Cache-Tag', value: 'x' },
        ],
      },
      { source: '/me', headers: [{ key: 'CDN-Cache-Control', value: 'max-age=9' }] },
    ]
    const gateway = await cdnGateway(await rendererOf(), { headers })
    expect(await seen(gateway, '/about')).toMatchObject(refused)
    expect((await seen(gateway, '/posts/a')).tags).toMatch(/^path~/)
    expect(await seen(gateway, '/me')).toMatchObject(refused)
  })
})

describe('other responses', () => {
  const passed = async (headers: Record<string, string>, path = '/me', status = 200, isStreamed = false) => {
    const renderer = await rendererOf()
    renderer.upstream.respond = (_request, response) => {
      response.writeHead(status, headers)
      if (isStreamed) response.write('a')
      response.end('body')
    }
    return seen(await cdnGateway(renderer), path)
  }
  const shared = { 'cache-control': 'public, s-maxage=10', 'content-length': '4' }

  test.each([
    ['no Cache-Control', {}, '/me'],
    ['private', { 'cache-control': 'private, no-store' }, '/me'],
    ['a cookie', { ...shared, 'set-cookie': 'a=1' }, '/me'],
    ['a nonce', { ...shared, 'content-security-policy': "script-src 'nonce-abc'" }, '/me'],
    ['the verdict of the renderer’s cache, but no tags', { ...shared, 'portico-internal-cache': 'HIT' }, '/me'],
    ['a cookie of a handler', { ...shared, 'set-cookie': 'a=1' }, '/api/x'],
    ['a private handler', { 'cache-control': 'private, no-store' }, '/api/x'],
  ])('C6 a response with %s is not kept', async (_name, headers, path) => {
    expect(await passed({ 'content-length': '4', ...headers }, path)).toMatchObject(refused)
  })

  test('C6 errors and streamed pages are not kept', async () => {
    expect(await passed(shared, '/me', 500)).toMatchObject({ status: 500, ...refused })
    expect(await passed({ 'cache-control': 'public, s-maxage=10' }, '/me', 200, true)).toMatchObject(refused)
    const gateway = await cdnGateway(await rendererOf())
    for (const path of ['/_portico/static/none.js', '/%zz', '/about/'])
      expect(await seen(gateway, path)).toMatchObject(refused)
  })

  test('C6 what the code of the site declares as shared is left to its Cache-Control', async () => {
    const own = { browser: 'public, s-maxage=10', cdn: undefined }
    expect(await passed(shared)).toMatchObject(own)
    expect(await passed(shared, '/api/x')).toMatchObject(own)
    expect(await passed({ ...shared, 'cdn-cache-control': 'max-age=5' }, '/api/x')).toMatchObject({
      ...own,
      cdn: 'max-age=5',
    })
  })
})
