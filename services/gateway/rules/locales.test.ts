// Locales at the gateway: the root, rules, and what the renderer receives (X14).

import { parsePassedRoute } from '@portico/shared/wire/passed-route.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { all, send, startGateway, startUpstream, type TestGateway, type Upstream } from '../testing/gateway-fixture.ts'

const files = { module: '', imports: [], styles: [] }
const i18n = { locales: ['en', 'fr', 'nl-NL'], defaultLocale: 'en', localeDetection: true }
const manifest = {
  i18n,
  pages: ['/', '/about', '/api-guide'].map((pattern) => ({ pattern, file: '', data: 'server' as const, files })),
  redirects: [
    { source: '/old', destination: '/about', status: 308 as const },
    { source: '/fr/vieux', destination: '/about', status: 307 as const, locale: false as const },
    { source: '/out', destination: 'https://out.example/', status: 307 as const },
    { source: '/', destination: '/never', status: 307 as const, has: [{ type: 'query' as const, key: 'go' }] },
  ],
  headers: [
    { source: '/about', headers: [{ key: 'X-All', value: '1' }] },
    { source: '/en/about', headers: [{ key: 'X-En', value: '1' }], locale: false as const },
    { source: '/', headers: [{ key: 'Cache-Control', value: 'public, max-age=60' }] },
  ],
}

let upstream: Upstream
let gateway: TestGateway
beforeAll(async () => {
  upstream = await startUpstream('upstream', { version: 'build1.x' })
  gateway = await startGateway({ upstreams: all(upstream), manifest, files: { 'public/a.txt': 'file' } })
})
afterAll(() => Promise.all([gateway.stop(), upstream.stop()]))
beforeEach(() => void upstream.requests.splice(0))

const locationOf = async (path: string, headers: Record<string, string> = {}, at = gateway) => {
  const response = await send(at.port, path, { headers })
  return [response.status, response.headers.location]
}
const passed = () => parsePassedRoute(String(upstream.requests.at(-1)?.headers['portico-internal-route']))

describe('the root', () => {
  it.each([
    ['fr', '/', {}, [307, '/fr']],
    ['fr', '/?a=1&b=%2F', {}, [307, '/fr?a=1&b=%2F']],
    ['nl', '/', {}, [307, '/nl-NL']],
    ['nl', '/', { cookie: 'NEXT_LOCALE=fr' }, [307, '/fr']],
    ['fr', '/', { cookie: 'NEXT_LOCALE=en' }, [200, undefined]],
    ['fr', '/', { cookie: 'NEXT_LOCALE=//evil.example' }, [307, '/fr']],
    ['de', '/', {}, [200, undefined]],
    ['fr', '/en', {}, [200, undefined]],
    ['fr', '/nl-nl', {}, [200, undefined]],
    ['fr', '/about', {}, [200, undefined]],
  ])('X14 for %s at %s is %j', async (language, path, headers, expected) => {
    expect(await locationOf(path, { 'accept-language': language, ...headers })).toEqual(expected)
  })

  it('X14 is stored by no cache as a redirect, and varies for the default locale', async () => {
    const redirected = await send(gateway.port, '/', { headers: { 'accept-language': 'fr' } })
    expect(redirected.headers).toMatchObject({
      'cache-control': 'private, no-store',
      vary: 'Accept-Language, Cookie',
    })
    const shown = await send(gateway.port, '/')
    expect(String(shown.headers.vary)).toContain('Accept-Language, Cookie')
    expect(String((await send(gateway.port, '/about')).headers.vary)).not.toContain('Accept-Language')
  })

  it('X14 is not redirected for the host, for page data, or for a posted form', async () => {
    expect(await locationOf('/', { host: 'fr.example', 'x-forwarded-host': 'fr.example' })).toEqual([200, undefined])
    expect(await locationOf('/_portico/data/build1/index.json', { 'accept-language': 'fr' })).toEqual([200, undefined])
    const headers = { 'accept-language': 'fr', 'content-type': 'application/x-www-form-urlencoded' }
    expect((await send(gateway.port, '/', { method: 'POST', headers, body: 'a=1' })).headers.location).toBeUndefined()
  })

  it('X14 comes before the redirects of the site, and has basePath and slash', async () => {
    expect(await locationOf('/?go=1', { 'accept-language': 'fr' })).toEqual([307, '/fr?go=1'])
    const other = await startGateway({
      upstreams: all(upstream),
      manifest: { ...manifest, basePath: '/docs', trailingSlash: true },
    })
    const fr = { 'accept-language': 'fr' }
    expect(await locationOf('/docs/', fr, other)).toEqual([307, '/docs/fr/'])
    expect(await locationOf('/', fr, other)).not.toEqual([307, '/docs/fr/'])
    await other.stop()
    const fixed = await startGateway({
      upstreams: all(upstream),
      manifest: { ...manifest, i18n: { ...i18n, localeDetection: false } },
    })
    expect(await locationOf('/', fr, fixed)).toEqual([200, undefined])
    await fixed.stop()
  })

  it('X14 is decided by a header of 10 KB in bounded time', async () => {
    const language = `${'de,'.repeat(3300)}fr`
    expect(await locationOf('/', { 'accept-language': language })).toEqual([200, undefined])
  })
})

describe('rules', () => {
  it.each([
    ['/old', [308, '/about']],
    ['/en/old', [308, '/about']],
    ['/FR/old?a=1', [308, '/fr/about?a=1']],
    ['/fr/vieux', [307, '/about']],
    ['/vieux', [200, undefined]],
    ['/fr/out', [307, 'https://out.example/']],
    ['//fr', [308, '/fr']],
    ['/fr//evil.example', [308, '/fr/evil.example']],
    ['/fr/', [308, '/fr']],
  ])('X14 lead from %s to %j', async (path, expected) => {
    expect(await locationOf(path)).toEqual(expected)
  })

  it('X14 add headers in each locale, or in the one that they name', async () => {
    const headersOf = async (path: string) => {
      const { headers } = await send(gateway.port, path)
      return [headers['x-all'], headers['x-en']]
    }
    expect(await headersOf('/about')).toEqual(['1', '1'])
    expect(await headersOf('/en/about')).toEqual(['1', '1'])
    expect(await headersOf('/fr/about')).toEqual(['1', undefined])
    expect(await headersOf('/_portico/data/build1/fr/about.json')).toEqual(['1', undefined])
  })
})

test('X14 W9 the renderer receives the locale with the page, for page data, too', async () => {
  for (const path of ['/fr/about', '/_portico/data/build1/fr/about.json']) {
    await send(gateway.port, path)
    expect([path, passed()]).toEqual([
      path,
      { version: 'build1.x', locale: 'fr', page: { pattern: '/about', params: {} } },
    ])
  }
  await send(gateway.port, '/nl-nl/nope')
  expect(passed()).toEqual({ version: 'build1.x', locale: 'nl-NL' })
})

test('X14 public files are below the prefix of the default locale, and handlers below none', async () => {
  expect((await send(gateway.port, '/en/a.txt')).text).toBe('file')
  await send(gateway.port, '/fr/a.txt')
  expect(passed()).toEqual({ version: 'build1.x', locale: 'fr' })
  await send(gateway.port, '/fr/api/x')
  expect(upstream.requests.at(-1)?.url).toBe('/fr/api/x')
  expect(passed()).toEqual({ version: 'build1.x', locale: 'fr' })
})
