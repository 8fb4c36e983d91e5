// The inner port of entries and paths, and how entries depend on the invalidation feed.

import type { GenerationReader } from '@portico/shared/kit/feed/generations.ts'
import { describe, expect, test } from 'vitest'
import { testSite } from '../testing/site.ts'
import { rendererForTests, send, shownProps, startRenderer, TOKEN } from '../testing/start-renderer.ts'

const { shared } = testSite
const under = rendererForTests()

describe('the feed', () => {
  /** A state store at generation 5 that a test moves. */
  function createStore() {
    const state = { isAway: false, generation: 5, epoch: 'e' }
    const reader: GenerationReader = {
      async read() {
        if (state.isAway) throw new Error('unavailable')
        return { epoch: state.epoch, generation: state.generation, floor: 0, marks: [] }
      },
      close() {},
    }
    return { state, reader }
  }

  test('C5 a position that this renderer has not reached is rendered once more, and not for each request', async () => {
    const { state, reader } = createStore()
    const renderer = await startRenderer(under.site, { reader })
    let count = 0
    shared.position = () => ({ props: { count: ++count } })
    const load = async (generation: number) => {
      const { head, data } = await renderer.requestEntry('/shared/[name]', {
        params: { name: 'position' },
        position: { epoch: 'e', generation },
      })
      return [head.confirmation, head.verdict, JSON.parse(data.toString()).props.count]
    }
    expect(await load(5)).toEqual(['confirmed', 'MISS', 1])
    expect(await load(5)).toEqual(['confirmed', 'HIT', 1])
    expect(await load(6)).toEqual(['behind', 'MISS', 2])
    expect(await load(6)).toEqual(['behind', 'STALE', 2])
    expect(await load(7)).toEqual(['behind', 'MISS', 3])
    state.generation = 7
    expect(await load(7)).toEqual(['confirmed', 'HIT', 3])
    await renderer.stop()
  })

  test('W6 C5 the page after an action contains the change, also of an epoch that this renderer has not read', async () => {
    const { state, reader } = createStore()
    const renderer = await startRenderer(under.site, { reader })
    let count = 0
    shared.epoch = () => ({ props: { count: ++count } })
    const load = async (position: { epoch?: string; generation: number }) => {
      const url = '/shared/epoch'
      const { body } = await renderer.requestInner('/internal/render', { url, as: 'data', ...position })
      return JSON.parse(body).props.count
    }
    expect(await load({ epoch: 'e', generation: 5 })).toBe(1)
    expect(await load({ generation: 0 })).toBe(1)
    // The store lost its data: the first change after that has the lower generation, which alone says nothing.
    Object.assign(state, { epoch: 'later', generation: 2 })
    expect(await load({ epoch: 'later', generation: 2 })).toBe(2)
    expect(await load({ epoch: 'later', generation: 2 })).toBe(2)
    await renderer.stop()
  })

  test('C5 a renderer that started without its state store renders once for the position of a gateway', async () => {
    const { state, reader } = createStore()
    state.isAway = true
    const renderer = await startRenderer(under.site, { reader })
    let count = 0
    shared.started = () => ({ props: { count: ++count } })
    const position = { epoch: 'e', generation: 5 }
    const verdicts = []
    for (let time = 0; time < 3; time++)
      verdicts.push(
        (await renderer.requestEntry('/shared/[name]', { params: { name: 'started' }, position })).head.verdict,
      )
    expect([verdicts, count]).toEqual([['MISS', 'STALE', 'STALE'], 1])
    await renderer.stop()
  })

  test('C5 a renderer without its state store says so, and serves what no message has marked', async () => {
    const { state, reader } = createStore()
    state.isAway = true
    const renderer = await startRenderer(under.site, { reader })
    let count = 0
    shared.away = () => ({ props: { count: ++count } })
    const load = async () => {
      const { head, data } = await renderer.requestEntry('/shared/[name]', { params: { name: 'away' } })
      return [head.confirmation, head.verdict, JSON.parse(data.toString()).props.count]
    }
    expect(await load()).toEqual(['away', 'MISS', 1])
    expect(await load()).toEqual(['away', 'STALE', 1])
    await renderer.invalidate({ paths: ['/shared/away'] })
    expect(await load()).toEqual(['away', 'MISS', 2])
    await renderer.stop()
  })
})

describe('the inner port', () => {
  const ABOUT = '/internal/entry?as=entry&route=/about&params={}&generation=0'

  test.each([
    ['/internal/entry', 400, 'as: must be "entry" or "next-data"'],
    ['/internal/entry?as=entry&route=/about&params={}', 400, 'generation: must be a whole number'],
    ['/internal/entry?as=entry&route=/none&params={}&generation=0', 404, 'undefined'],
    ['/internal/entry?as=entry&route=/data/[name]&params={"name":"a"}&generation=0', 404, 'undefined'],
    ['/internal/entry?as=entry&route=/shared/[name]&params={}&generation=0', 400, 'params: must fit the route'],
    [
      '/internal/entry?as=entry&route=/shared/[name]&params={"name":["a"]}&generation=0',
      400,
      'params: must fit the route',
    ],
    [
      '/internal/entry?as=entry&route=/shared/[name]&params={"name":"\\ud800"}&generation=0',
      400,
      'params: must fit the route',
    ],
    [
      '/internal/entry?as=entry&route=/shared/[name]&params={"name":"\\u0000"}&generation=0',
      400,
      'params: must fit the route',
    ],
  ])('W8 %s is refused with %i', async (path, status, message) => {
    const response = await under.renderer.getInner(path)
    expect([response.status, String(JSON.parse(response.body).error.message)]).toEqual([status, message])
  })

  test('O9 entries and paths need the token, no Origin, and the inner port', async () => {
    const authorization = `Bearer ${TOKEN}`
    for (const path of [ABOUT, '/internal/paths']) {
      expect((await under.renderer.getInner(path)).status).toBe(200)
      expect((await under.renderer.getInner(path, {})).status).toBe(401)
      expect((await under.renderer.getInner(path, { authorization, origin: 'http://a.test' })).status).toBe(403)
      expect((await send(under.renderer.port, path, { headers: { authorization } })).status).toBe(404)
    }
  })

  test('C2 nothing of the head of the request is in the entry', async () => {
    shared.clean = (context) => ({ props: { keys: Object.keys(context).sort() } })
    const target = '/internal/entry?as=entry&route=/shared/[name]&params={"name":"clean"}&generation=0&evil=1'
    const { body } = await under.renderer.getInner(target, {
      authorization: `Bearer ${TOKEN}`,
      cookie: 'evil=1',
      'x-forwarded-host': 'evil.example',
      'accept-encoding': 'br',
      'if-none-match': '*',
      range: 'bytes=0-1',
    })
    expect(body).not.toContain('evil')
    expect(shownProps(await under.renderer.request('/shared/clean'))).toEqual({ keys: ['params', 'revalidateReason'] })
  })

  test('W8 lists the pages whose paths are known', async () => {
    const { version, paths } = JSON.parse((await under.renderer.getInner('/internal/paths')).body)
    expect(version).toBe(under.renderer.pages.version)
    expect(paths).toContainEqual({ pattern: '/about', params: {} })
    expect(paths).toContainEqual({ pattern: '/listed/[name]', params: { name: 'caf\u00e9 bar' } })
    const patterns = paths.map(({ pattern }: { pattern: string }) => pattern)
    expect(patterns).not.toContain('/form')
    expect(patterns).not.toContain('/shared/[name]')
  })
})
