// What the page cache serves over time: a gateway, its feed, and renderers that speak the wire format.

import { messageOf } from '@portico/shared/kit/testing/changes.ts'
import { describe, expect, it } from 'vitest'
import { send } from '../testing/gateway-fixture.ts'
import { STALE_LIMIT_MS } from './decide.ts'
import { cachedGateway, rendererOf } from './testing/cached-gateway.ts'
import { outcomeEntry, pageEntry } from './testing/entries.ts'

describe('freshness', () => {
  it('C4 serves a stale entry while it is refreshed, for a day', async () => {
    const renderer = await rendererOf()
    let count = 0
    renderer.entry = () => pageEntry(`render ${++count}`, { freshMs: 1000 })
    const gateway = await cachedGateway(renderer)
    await send(gateway.port, '/about')
    gateway.state.offsetMs += 1001
    const stale = await send(gateway.port, '/about')
    expect([stale.headers['x-portico-cache'], stale.text.includes('render 1')]).toEqual(['STALE', true])
    await expect.poll(async () => (await send(gateway.port, '/about')).headers['x-portico-cache']).toBe('HIT')
    expect(count).toBe(2)
    renderer.entry = () => outcomeEntry({ kind: 'error', code: 'internal' })
    gateway.state.offsetMs += STALE_LIMIT_MS
    expect((await send(gateway.port, '/about')).headers['x-portico-cache']).toBe('STALE')
    gateway.state.offsetMs += 1001
    expect((await send(gateway.port, '/about')).status).toBe(500)
  })

  it('C3 a refresh of an unchanged page transfers no bytes, and keeps the compressed forms', async () => {
    const renderer = await rendererOf()
    renderer.entry = () => pageEntry('page', { freshMs: 1000 })
    const gateway = await cachedGateway(renderer)
    const { headers } = await send(gateway.port, '/about')
    renderer.entry = () => outcomeEntry({ kind: 'unchanged' }, { freshMs: 1000 })
    gateway.state.offsetMs += 1001
    await send(gateway.port, '/about')
    await expect.poll(() => renderer.asked[1]?.have?.htmlEtag).toBe(headers.etag)
    await expect.poll(async () => (await send(gateway.port, '/about')).headers['x-portico-cache']).toBe('HIT')
  })

  it('C2 takes no bytes of one version for another one', async () => {
    const renderer = await rendererOf()
    renderer.entry = () => pageEntry('page', { freshMs: 1000 })
    const gateway = await cachedGateway(renderer)
    await send(gateway.port, '/about')
    renderer.entry = () => outcomeEntry({ kind: 'unchanged' }, { version: 'build1.y' })
    gateway.loseStore()
    expect((await send(gateway.port, '/about')).text).toBe('passed')
  })

  it('C4 a revalidated page is never served again, on errors neither', async () => {
    const renderer = await rendererOf()
    renderer.entry = () => pageEntry('old', { tags: ['t'] })
    const gateway = await cachedGateway(renderer)
    for (const change of [
      { paths: ['/about'], tags: [] },
      { paths: [], tags: ['t'] },
      { paths: [], tags: [], everything: true },
    ]) {
      renderer.entry = () => pageEntry('old', { tags: ['t'] })
      gateway.state.offsetMs += 1001
      await send(gateway.port, '/about')
      renderer.entry = () => outcomeEntry({ kind: 'error', code: 'internal' })
      gateway.feed.apply(messageOf(change, await gateway.store.raise(change)))
      expect((await send(gateway.port, '/about')).status).toBe(500)
    }
    const other = { paths: ['/other'], tags: ['u'] }
    gateway.state.offsetMs += 1001
    renderer.entry = () => pageEntry('new')
    await send(gateway.port, '/about')
    gateway.feed.apply(messageOf(other, await gateway.store.raise(other)))
    expect((await send(gateway.port, '/about')).headers['x-portico-cache']).toBe('HIT')
  })

  it('C5 a page that is revalidated during its fill is not kept, and no later request receives it', async () => {
    const renderer = await rendererOf()
    const released = Promise.withResolvers<Buffer>()
    renderer.entry = () => released.promise
    const gateway = await cachedGateway(renderer)
    const before = send(gateway.port, '/about')
    await expect.poll(() => renderer.asked.length).toBe(1)
    const change = { paths: ['/about'], tags: [] }
    const counted = await gateway.store.raise(change)
    gateway.feed.apply(messageOf(change, counted))
    renderer.entry = () => pageEntry('new')
    const after = [send(gateway.port, '/about'), send(gateway.port, '/about')]
    // Both requests have arrived: the access log has none of them, and the third request is later.
    await send(gateway.port, '/me')
    released.resolve(pageEntry('old'))
    expect((await before).text).toContain('old')
    for (const { text } of await Promise.all(after)) expect(text).toContain('new')
    expect(renderer.asked.map(({ position }) => position.generation >= counted.generation)).toEqual([false, true])
    expect((await send(gateway.port, '/about')).text).toContain('new')
  })
})

describe('trust', () => {
  it('C5 without the state store each request is confirmed by the home, and nothing is kept', async () => {
    const renderer = await rendererOf()
    const gateway = await cachedGateway(renderer)
    const { text } = await send(gateway.port, '/about')
    gateway.loseStore()
    renderer.entry = ({ have }) =>
      have ? outcomeEntry({ kind: 'unchanged' }, { confirmation: 'away' }) : pageEntry('new', { confirmation: 'away' })
    const held = await send(gateway.port, '/about')
    expect([held.headers['x-portico-cache'], held.text]).toEqual(['STALE', text])
    renderer.entry = () => outcomeEntry({ kind: 'unchanged' })
    expect((await send(gateway.port, '/about')).headers['x-portico-cache']).toBe('HIT')
    renderer.entry = () => pageEntry('new', { confirmation: 'away' })
    for (const path of ['/about', '/posts/1', '/posts/1']) {
      const sent = await send(gateway.port, path)
      expect([sent.headers['x-portico-cache'], sent.text.includes('new')]).toEqual(['STALE', true])
    }
    expect(renderer.asked.length).toBe(6)
    gateway.state.isAway = false
    await expect.poll(() => gateway.feed.isConfirmed()).toBe(true)
    const back = await send(gateway.port, '/about')
    expect([back.headers['x-portico-cache'], back.text]).toEqual(['HIT', text])
  })

  it('C5 obeys a change of an epoch that it has not read, and keeps nothing that it may have missed', async () => {
    const renderer = await rendererOf()
    const gateway = await cachedGateway(renderer)
    await send(gateway.port, '/about')
    gateway.feed.apply(messageOf({ paths: ['/about'], tags: [] }, { generation: 1, epoch: 'next' }))
    // The renderer may not have received the change yet.
    await send(gateway.port, '/about')
    await send(gateway.port, '/about')
    expect(renderer.asked.map(({ have }) => have)).toEqual([undefined, undefined, undefined])
  })

  it('C5 without renderers kept pages are served, and others are refused', async () => {
    const renderer = await rendererOf()
    const gateway = await cachedGateway(renderer, { firstReadyMs: 50 })
    await send(gateway.port, '/about')
    await renderer.upstream.stop()
    expect((await send(gateway.port, '/posts/1')).status).toBe(503)
    expect((await send(gateway.port, '/about')).headers['x-portico-cache']).toBe('HIT')
    gateway.loseStore()
    expect((await send(gateway.port, '/about')).status).toBe(503)
  })

  it('C4 G2 while the only renderer starts again old pages are sent as STALE, and a revalidated one waits for it', async () => {
    const renderer = await rendererOf()
    renderer.entry = () => pageEntry('old', { freshMs: 1000 })
    const gateway = await cachedGateway(renderer)
    for (const path of ['/about', '/posts/1']) await send(gateway.port, path)
    await renderer.upstream.stop()
    gateway.state.offsetMs += 1001
    const cacheOf = async () => (await send(gateway.port, '/about')).headers['x-portico-cache']
    expect([await cacheOf(), await cacheOf()]).toEqual(['STALE', 'STALE'])
    await gateway.store.raise({ paths: ['/posts/1'], tags: [] })
    gateway.state.feedOffsetMs += 501
    const waiting = send(gateway.port, '/posts/1')
    await new Promise((done) => setTimeout(done, 200))
    expect(await cacheOf()).toBe('STALE')
    await rendererOf({ port: renderer.upstream.port })
    expect((await waiting).text).toBe('passed')
  })

  it('C4 C5 without renderers a process that was paused reads the marks before it sends what it keeps', async () => {
    const renderer = await rendererOf()
    const gateway = await cachedGateway(renderer, { firstReadyMs: 50 })
    for (const path of ['/about', '/posts/1']) await send(gateway.port, path)
    await renderer.upstream.stop()
    expect((await send(gateway.port, '/posts/2')).status).toBe(503)
    await gateway.store.raise({ paths: ['/about'], tags: [] })
    gateway.state.feedOffsetMs += 501
    const [changed, kept] = await Promise.all([send(gateway.port, '/about'), send(gateway.port, '/posts/1')])
    expect([changed.status, kept.status, kept.headers['x-portico-cache']]).toEqual([503, 200, 'HIT'])
  })
})

describe('homes', () => {
  it('C3 a page that is no entry passes to the renderer that was asked, which is rendering it', async () => {
    const one = await rendererOf()
    const two = await rendererOf({ host: '127.0.0.2', port: one.upstream.port })
    const { port } = await cachedGateway(one, { replicaOptions: { lookup: async () => ['127.0.0.1', '127.0.0.2'] } })
    for (const renderer of [one, two]) renderer.entry = () => outcomeEntry({ kind: 'shell' })
    const ids = Array.from({ length: 20 }, (_, index) => `${index}`)
    for (const id of ids) expect((await send(port, `/posts/${id}`)).text).toBe('passed')
    for (const { asked, upstream } of [one, two]) {
      const passed = upstream.requests.filter(({ url }) => url.startsWith('/posts/')).map(({ url }) => url)
      expect(passed).toEqual(asked.map(({ params }) => `/posts/${params.id}`))
      expect(passed.length).toBeGreaterThan(4)
    }
  })

  it('C1 requests each page of one renderer, and of the next one when its home has ended', async () => {
    const one = await rendererOf()
    const two = await rendererOf({ host: '127.0.0.2', port: one.upstream.port })
    const lookup = async () => ['127.0.0.1', '127.0.0.2']
    const gateways = [
      await cachedGateway(one, { replicaOptions: { lookup } }),
      await cachedGateway(one, { replicaOptions: { lookup } }),
    ]
    const ids = Array.from({ length: 20 }, (_, index) => `${index}`)
    for (const { port } of gateways) await Promise.all(ids.map((id) => send(port, `/posts/${id}`)))
    const idsAt = ({ asked }: typeof one) => [...new Set(asked.map(({ params }) => params.id))].sort()
    expect([...idsAt(one), ...idsAt(two)].sort()).toEqual([...ids].sort())
    expect([one.asked.length + two.asked.length, idsAt(one).length > 4, idsAt(two).length > 4]).toEqual([
      40,
      true,
      true,
    ])
    await two.upstream.stop()
    const responses = await Promise.all(ids.map((id) => send(gateways[0]!.port, `/posts/new-${id}`)))
    expect(responses.map(({ headers }) => headers['x-portico-cache'])).toEqual(ids.map(() => 'MISS'))
  })
})
