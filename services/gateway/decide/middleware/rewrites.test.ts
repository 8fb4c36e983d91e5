// Rewrites of middleware: what responds, and what may not.

import { expect, it } from 'vitest'
import { guardedSite, passedIn, SITE } from '../../testing/guarded-gateway.ts'
import { upstreamOf } from '../../testing/proxy-fixture.ts'

const rewriteTo = (target: string) => () => ({ kind: 'rewrite', target, responseHeaders: [['x-moved', '1']] })

it('X15 a rewrite shows the target, in every representation, from the cache of the target', async () => {
  const { get, guard } = await guardedSite(rewriteTo('/posts/7?from=mw'))
  const texts: string[] = []
  for (const path of ['/about', '/me', '/nowhere', '/file.txt', '/_portico/data/build1/about.json']) {
    const { text, headers } = await get(path)
    texts.push(text)
    expect([path, headers['x-moved']]).toEqual([path, '1'])
  }
  for (const text of texts)
    expect(text).toContain('/posts/[id] {\\"id\\":\\"7\\"}'.replaceAll('\\"', text.startsWith('{') ? '\\"' : '"'))
  expect(guard.renderer.asked.length).toBe(1)
})

it('X15 W9 a renderer learns the target of a rewrite, and the address of the client', async () => {
  const { get, requests } = await guardedSite(rewriteTo('/me?x=1'))
  await get('/about?y=2')
  const [sent] = requests()
  expect(sent?.url).toBe('/about?y=2')
  expect(passedIn(sent?.headers).moved).toBe('/me?x=1')
  expect(passedIn(sent?.headers)).toMatchObject({
    page: { pattern: '/me', target: '/me?x=1' },
  })
})

it('X15 a rewrite leads to files and handlers, and to what is posted', async () => {
  const { get, guard, requests } = await guardedSite(rewriteTo('/file.txt'))
  const file = await get('/about')
  expect([file.text, file.headers['cache-control']]).toEqual(['file', 'private, no-store'])
  guard.decide = rewriteTo('/api/me?x=1')
  await get('/about', { method: 'DELETE' })
  guard.decide = rewriteTo('/me')
  await get('/about', { method: 'POST', body: '[]', headers: { 'portico-action': 'a1' } })
  expect(requests().map(({ method, url }) => [method, url])).toEqual([
    ['DELETE', '/api/me?x=1'],
    ['POST', '/me'],
  ])
})

it.each([
  '/_portico/static/a.js',
  '/_portico/data/build1/me.json',
  '/_next/data/build1/me.json',
  '/_next/image?url=/a',
  '/nowhere',
])('X15 a rewrite to %s shows the screen of 404', async (target) => {
  const { get, guard, requests } = await guardedSite(rewriteTo(target))
  await get('/me')
  expect(requests()).toEqual([])
  expect(guard.renderer.asked.map(({ pattern }) => pattern)).toEqual(['/404'])
})

it('X15 rewrites of the configuration apply to the target', async () => {
  const manifest = { ...SITE, rewrites: [{ source: '/old/:id', destination: '/posts/:id' }] }
  const { get } = await guardedSite(rewriteTo('/old/3'), { manifest })
  expect((await get('/me')).text).toContain('/posts/[id] {"id":"3"}')
})

it('X15 page data of another build that is rewritten is the document of that client', async () => {
  const { get } = await guardedSite(rewriteTo('/me'))
  const { status, headers, text } = await get('/_portico/data/other/about.json')
  expect([status, headers['portico-build'], text]).toEqual([404, 'build1', expect.stringContaining('foreign-build')])
})

it('X15 a rewrite to another host needs its origin in the configuration', async () => {
  const other = await upstreamOf('other')
  const origin = other.url.origin
  const manifest = { ...SITE, rewriteOrigins: { [origin]: { cookies: [], authorization: false } } }
  const { get, guard, gateway } = await guardedSite(rewriteTo(`${origin}/x?y=1`), {
    manifest,
    rewriteInnerHosts: [other.url.host],
  })
  const { text, headers } = await get('/about', { headers: { cookie: 'secret=1' } })
  expect([text, headers['x-moved']]).toEqual(['from other', '1'])
  expect(other.requests).toMatchObject([{ url: '/x?y=1' }])
  expect(other.requests[0]!.headers.cookie).toBeUndefined()
  expect((await get('/_portico/data/build1/about.json')).status).toBe(404)
  guard.decide = rewriteTo('http://evil.example/x')
  expect((await get('/about')).status).toBe(500)
  expect(gateway.lines.find(({ level }) => level === 'error')).toMatchObject({
    error: { message: expect.stringContaining('middleware rewrites to http://evil.example, which neither') },
  })
})
