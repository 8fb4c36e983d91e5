// Requests with a cookie of draft mode and the page cache (X13).

import { DRAFT_COOKIE, namesDraftMode } from '@portico/shared/wire/cookies/draft-mode.ts'
import { PREVIEW_DATA_COOKIE } from '@portico/shared/wire/testing.ts'
import { describe, expect, it } from 'vitest'
import { send } from '../testing/gateway-fixture.ts'
import { cachedGateway, MANIFEST, rendererOf } from './testing/cached-gateway.ts'

const NEXT_DATA = '/_next/data/build1/posts/a.json'
const DATA = '/_portico/data/build1/posts/a.json'

describe('the page cache', () => {
  it('X13 C1 passes every form of a page with getStaticProps to a renderer, and keeps nothing of it', async () => {
    const renderer = await rendererOf()
    const gateway = await cachedGateway(renderer, { manifest: { ...MANIFEST, semantics: { dataUrls: true } } })
    for (const name of [DRAFT_COOKIE, PREVIEW_DATA_COOKIE])
      for (const path of ['/posts/a', DATA, NEXT_DATA]) {
        const headers = { cookie: `a=1; ${name}=anything` }
        expect([path, (await send(gateway.port, path, { headers })).text]).toEqual([path, 'passed'])
      }
    expect(renderer.asked).toEqual([])
    expect((await send(gateway.port, '/posts/a')).headers['x-portico-cache']).toBe('MISS')
    const hit = await send(gateway.port, '/posts/a', { headers: { cookie: 'a=1' } })
    expect(hit.headers['x-portico-cache']).toBe('HIT')
    // A page without a data function is the same in draft mode.
    const headers = { cookie: `${DRAFT_COOKIE}=anything` }
    expect((await send(gateway.port, '/about', { headers })).headers['x-portico-cache']).toBe('MISS')
  })

  it('X13 C3 SECURITY: sends no cookie with a fill that waits beside a request in draft mode', async () => {
    const renderer = await rendererOf()
    const gateway = await cachedGateway(renderer)
    const headers = { cookie: `${DRAFT_COOKIE}=anything` }
    const [passed, filled] = await Promise.all([
      send(gateway.port, '/posts/a', { headers }),
      send(gateway.port, '/posts/a'),
    ])
    expect([passed.text, filled.headers['x-portico-cache']]).toEqual(['passed', 'MISS'])
    const fills = renderer.upstream.requests.filter(({ url }) => url?.startsWith('/internal/'))
    expect(fills.length).toBeGreaterThan(0)
    for (const fill of fills) expect(JSON.stringify(fill.headers)).not.toContain(DRAFT_COOKIE)
  })
})

it.each([
  ['__prerender_bypass=x', true],
  ['a=1; __next_preview_data=x', true],
  ['a=1;\t __prerender_bypass =x', true],
  ['__prerender_bypass=', true],
  ['x__prerender_bypass=1; __prerender_bypassx=1; a=__prerender_bypass=1', false],
  ['__prerender_bypass', false],
  ['', false],
  [undefined, false],
])('X13 of the header %j says whether it may name draft mode', (header, expected) => {
  expect(namesDraftMode(header)).toBe(expected)
})
