// The page data of Next.js in the page cache: a representation of its own (X2).

import { entityTag } from '@portico/shared/kit/http/conditional.ts'
import { messageOf } from '@portico/shared/kit/testing/changes.ts'
import { INTERNAL_HEADERS } from '@portico/shared/wire/constants.ts'
import { parseEntry } from '@portico/shared/wire/page-entry.ts'
import { describe, expect, it } from 'vitest'
import { send } from '../testing/gateway-fixture.ts'
import { cachedGateway, MANIFEST, rendererOf } from './testing/cached-gateway.ts'
import { outcomeEntry, pageEntry } from './testing/entries.ts'

describe('the page data of Next.js', () => {
  const NEXT = (page: string, build = 'build1') => `/_next/data/${build}/${page}.json`
  const body = Buffer.from('{"pageProps":{"text":"a"},"__N_SSG":true}')
  const nextManifest = { ...MANIFEST, semantics: { dataUrls: true, failurePath: true } } as const

  it('X2 C2 is an entry under a key of its own, which no other representation reads', async () => {
    const renderer = await rendererOf()
    renderer.entry = ({ as }) =>
      as === 'entry'
        ? pageEntry('document')
        : outcomeEntry({ kind: 'next-data', dataEtag: entityTag(body), of: '"a"' }, { tags: ['t'] }, { data: body })
    const gateway = await cachedGateway(renderer, { manifest: nextManifest })
    const get = async (path: string, headers = {}) => {
      const response = await send(gateway.port, path, { headers })
      return [response.status, response.headers['x-portico-cache'], response.text]
    }
    const cookie = { cookie: 'a=1', 'x-nextjs-data': '1' }
    expect(await get(NEXT('posts/a'), cookie)).toEqual([200, 'MISS', String(body)])
    expect(await get(`${NEXT('posts/a')}?x=1`)).toEqual([200, 'HIT', String(body)])
    const [, verdict, html] = await get('/posts/a', cookie)
    expect([verdict, String(html).startsWith('<!DOCTYPE html>')]).toEqual(['MISS', true])
    const [, own, data] = await get('/_portico/data/build1/posts/a.json')
    expect([own, JSON.parse(String(data)).kind]).toEqual(['HIT', 'page'])
    expect(renderer.asked.map(({ as, pattern }) => [as, pattern])).toEqual([
      ['next-data', '/posts/[id]'],
      ['entry', '/posts/[id]'],
    ])
    const { headers } = await send(gateway.port, NEXT('posts/a'))
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=0, must-revalidate',
      'content-type': 'application/json; charset=utf-8',
      'portico-build': 'build1',
      etag: entityTag(body),
    })
    expect((await send(gateway.port, NEXT('posts/a'), { headers: { 'if-none-match': headers.etag! } })).status).toBe(
      304,
    )
    // One mark for both entries of the page.
    const change = { paths: ['/posts/a'], tags: [] }
    gateway.feed.apply(messageOf(change, await gateway.store.raise(change)))
    expect((await get(NEXT('posts/a')))[1]).toBe('MISS')
  })

  it('X2 X14 C2 is that of the default locale at an address without a locale, under one key', async () => {
    const renderer = await rendererOf()
    renderer.entry = () =>
      outcomeEntry({ kind: 'next-data', dataEtag: entityTag(body), of: '"a"' }, { tags: ['t'] }, { data: body })
    const i18n = { locales: ['en', 'fr'], defaultLocale: 'en', localeDetection: false }
    const gateway = await cachedGateway(renderer, { manifest: { ...nextManifest, i18n } })
    const verdicts = []
    for (const page of ['posts/a', 'en/posts/a', 'fr/posts/a'])
      verdicts.push((await send(gateway.port, NEXT(page))).headers['x-portico-cache'])
    expect(verdicts).toEqual(['MISS', 'HIT', 'MISS'])
    expect(renderer.asked.map(({ locale }) => locale)).toEqual(['en', 'fr'])
  })

  it('X2 C3 a document of another render than the data is sent once more, and requested from the home', async () => {
    let text = 'of the first home'
    const renderer = await rendererOf()
    renderer.entry = ({ as }) => {
      const page = pageEntry(text)
      if (as === 'entry') return page
      const { head } = parseEntry(page)!
      const data = Buffer.from(JSON.stringify({ pageProps: { text } }))
      const of = head.kind === 'page' ? head.dataEtag : ''
      return outcomeEntry({ kind: 'next-data', dataEtag: entityTag(data), of }, {}, { data })
    }
    const gateway = await cachedGateway(renderer, { manifest: nextManifest })
    const get = async (path: string) => {
      const response = await send(gateway.port, path)
      return `${response.headers['x-portico-cache']} ${/of the \w+ home/.exec(response.text)}`
    }
    expect(await get('/posts/a')).toBe('MISS of the first home')
    text = 'of the second home'
    expect(await get(NEXT('posts/a'))).toBe('MISS of the second home')
    expect(await get('/posts/a')).toBe('STALE of the first home')
    await expect.poll(() => get('/posts/a')).toBe('HIT of the second home')
    expect([await get(NEXT('posts/a')), await get('/posts/a')]).toEqual([
      'HIT of the second home',
      'HIT of the second home',
    ])
    expect(renderer.asked.map(({ as }) => as)).toEqual(['entry', 'next-data', 'entry'])
  })

  it('X2 keeps redirects and missing pages, and refuses an entry in another form', async () => {
    const renderer = await rendererOf()
    const redirect = Buffer.from('{"pageProps":{"__N_REDIRECT":"/b","__N_REDIRECT_STATUS":307},"__N_SSG":true}')
    renderer.entry = ({ params }) => {
      if (params.id === 'to')
        return outcomeEntry({ kind: 'redirect', status: 307, location: '/b' }, {}, { data: redirect })
      return params.id === 'none' ? outcomeEntry({ kind: 'not-found' }) : pageEntry('in another form')
    }
    const gateway = await cachedGateway(renderer, { manifest: nextManifest })
    for (const verdict of ['MISS', 'HIT']) {
      const to = await send(gateway.port, NEXT('posts/to'))
      expect([to.status, to.text, to.headers['x-portico-cache'], to.headers.location]).toEqual([
        200,
        String(redirect),
        verdict,
        undefined,
      ])
      const none = await send(gateway.port, NEXT('posts/none'))
      expect([none.status, none.text, none.headers['x-portico-cache']]).toEqual([404, '{"notFound":true}', verdict])
    }
    expect((await send(gateway.port, NEXT('posts/other'))).text).toBe('passed')
  })

  it('X2 of a page of each client, without data or of another build passes through the proxy; outside of the mode it is a page', async () => {
    const renderer = await rendererOf()
    const gateway = await cachedGateway(renderer, { manifest: nextManifest })
    for (const path of [NEXT('me'), NEXT('about'), NEXT('none'), NEXT('posts/a', 'other'), '/_next/data/build1/about'])
      expect([path, (await send(gateway.port, path)).text]).toEqual([path, 'passed'])
    expect(renderer.asked).toEqual([])
    const plain = await cachedGateway(renderer)
    await send(plain.port, NEXT('posts/a'))
    expect(renderer.asked.map(({ as, pattern }) => [as, pattern])).toEqual([['entry', '/404']])
  })

  it('X2 E4 the path of the screen of status 500 passes to the renderer; outside of the mode it is a missing page', async () => {
    const renderer = await rendererOf()
    const gateway = await cachedGateway(renderer, { manifest: nextManifest })
    expect((await send(gateway.port, '/500')).text).toBe('passed')
    // The renderer finds the screen itself.
    expect(renderer.upstream.requests.at(-1)?.headers).not.toHaveProperty(INTERNAL_HEADERS.route)
    expect(renderer.asked).toEqual([])
    const plain = await cachedGateway(renderer)
    await send(plain.port, '/500')
    expect(renderer.asked.map(({ pattern }) => pattern)).toEqual(['/404'])
  })
})
