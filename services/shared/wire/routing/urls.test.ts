import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canonicalPath,
  dataUrl,
  imageUrl,
  isApiPath,
  isOwnPath,
  locationOnSite,
  manifestUrl,
  parseDataPath,
  splitTarget,
  staticUrl,
  stripBasePath,
} from './urls.ts'

describe('canonical paths', () => {
  const CANONICAL = [
    '/',
    '/a',
    '/a/b',
    '/a.html',
    '/a.b/c',
    '/...',
    '/a%2Fb',
    '/%5Cevil.org',
    '/%2F%2Fevil.org',
    '/.well-known',
    '/a..',
    '/%2e%2e%2e',
  ]
  it.each(CANONICAL)('R6 %s is canonical', (path) => {
    expect(canonicalPath(path, false)).toEqual({ kind: 'canonical' })
  })

  const TO_PATH: [string, string][] = [
    ['', '/'],
    ['//', '/'],
    ['///', '/'],
    ['/about/', '/about'],
    ['/about//', '/about'],
    ['//a', '/a'],
    ['///a//b', '/a/b'],
    ['/./a', '/a'],
    ['/a/.', '/a'],
    ['/a/./b', '/a/b'],
    ['/a/..', '/'],
    ['/a/../b', '/b'],
    ['/../../b', '/b'],
    ['/..', '/'],
    ['/%2e/a', '/a'],
    ['/%2E%2e/a', '/a'],
    ['/.%2e/a', '/a'],
    ['/a/%2e%2e', '/'],
    ['\\', '/'],
    ['/\\', '/'],
    ['/\\a', '/a'],
    ['\\\\evil.org', '/evil.org'],
    ['/a\\b', '/a/b'],
    ['/a\\..\\b', '/b'],
    ['//evil.org', '/evil.org'],
    ['/\\evil.org/', '/evil.org'],
    ['/.//evil.org', '/evil.org'],
    ['/%2e//evil.org/%2e%2e/..', '/'],
    ['/x/..//evil.org', '/evil.org'],
    ['/a.html/', '/a.html'],
    ['a', '/a'],
  ]
  it.each(TO_PATH)('R6 %s redirects to %s', (path, wanted) => {
    expect(canonicalPath(path, false)).toEqual({ kind: 'redirect', pathname: wanted })
  })

  it.each([
    ['/about', '/about/'],
    ['//about', '/about/'],
    ['/about//', '/about/'],
    ['/a/./b', '/a/b/'],
    ['/a.html/', '/a.html'],
    ['//a.html', '/a.html'],
    ['/v1.2/about', '/v1.2/about/'],
    ['//', '/'],
  ])('R6 with trailingSlash %s is redirected to %s', (path, wanted) => {
    expect(canonicalPath(path, true)).toEqual({ kind: 'redirect', pathname: wanted })
  })

  it.each(['/', '/about/', '/a/b/', '/a.html', '/v1.2/about/'])('R6 with trailingSlash %s is canonical', (path) => {
    expect(canonicalPath(path, true)).toEqual({ kind: 'canonical' })
  })

  const piece = fc.constantFrom(
    '/',
    '\\',
    '.',
    '%2e',
    '%2E',
    '%2f',
    '%5c',
    '%09',
    'a',
    'evil.org',
    ':',
    '@',
    ' ',
    '\t',
    '\n',
    '%',
  )
  it('R6 the target of a redirect is on the same origin and canonical', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, trailingSlash) => {
        const found = canonicalPath(`/${pieces.join('')}`, trailingSlash)
        if (found.kind === 'canonical') return
        const base = 'https://site.example'
        expect(new URL(found.pathname, base).origin).toBe(base)
        expect(new URL(found.pathname, base).pathname.startsWith('//')).toBe(false)
        expect(canonicalPath(found.pathname, trailingSlash)).toEqual({ kind: 'canonical' })
      }),
      { numRuns: 2000 },
    )
  })
})

describe('page data addresses', () => {
  it.each([
    ['/', '/_portico/data/b1/index.json'],
    ['/about', '/_portico/data/b1/about.json'],
    ['/about/', '/_portico/data/b1/about.json'],
    ['/index', '/_portico/data/b1/index/index.json'],
    ['/index/a', '/_portico/data/b1/index/index/a.json'],
    ['/index/index', '/_portico/data/b1/index/index/index.json'],
    ['/indexes', '/_portico/data/b1/indexes.json'],
    ['/a/index', '/_portico/data/b1/a/index.json'],
    ['/a%2Fb%20c', '/_portico/data/b1/a%2Fb%20c.json'],
    ['/a.json', '/_portico/data/b1/a.json.json'],
  ])('W2 the data of %s is at %s', (pathname, wanted) => {
    expect(dataUrl('', 'b1', pathname)).toBe(wanted)
    expect(dataUrl('/shop', 'b1', pathname, '?q=1')).toBe(`/shop${wanted}?q=1`)
  })

  const segment = fc
    .array(fc.constantFrom('a', 'index', '%2F', '%2f', '%25', '%20', '%00', '%', '.json', '.', 'é', '~', '+'), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join(''))
    .filter((text) => !/^(?:\.|%2e){1,2}$/i.test(text))
  it('W2 returns the raw pathname with its percent-encoding', () => {
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), (segments) => {
        const pathname = `/${segments.join('/')}`
        const below = dataUrl('/shop', 'build-1_x', pathname).slice('/shop'.length)
        expect(parseDataPath(below)).toEqual({ as: 'data', buildId: 'build-1_x', pathname })
        expect(parseDataPath(below.replace('_portico', '_next'), { dataUrls: true })).toEqual({
          as: 'next-data',
          buildId: 'build-1_x',
          pathname,
        })
      }),
      { numRuns: 1000 },
    )
  })

  it('W2 one page has one data address: dataUrl writes every address that parseDataPath accepts', () => {
    const name = fc
      .array(fc.oneof(segment, fc.constantFrom('', 'index')), { maxLength: 5 })
      .map((parts) => parts.join('/'))
    fc.assert(
      fc.property(name, (text) => {
        const below = `/_portico/data/b/${text}.json`
        const found = parseDataPath(below)
        if (found) expect(dataUrl('', found.buildId, found.pathname)).toBe(below)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    '',
    '/',
    '/data',
    '/data/b',
    '/data/b/',
    '/data/b/.json',
    '/data/b/about',
    '/data/b/about.json/',
    '/data//about.json',
    '/data/b c/about.json',
    '/data/../about.json',
    '/data/b//evil.org.json',
    '/data/b/about/.json',
    '/data/b/index/.json',
    '/data/b/index/about.json',
    '/static/b/about.json',
    'x/data/b/about.json',
  ])('W2 X2 %j is no data address behind any prefix', (below) => {
    for (const prefix of ['/_portico', '/_next', ''])
      for (const dataUrls of [false, true]) expect(parseDataPath(prefix + below, { dataUrls })).toBeUndefined()
  })

  it.each([
    ['/_next/data/b1/index.json', true, { as: 'next-data', buildId: 'b1', pathname: '/' }],
    ['/_next/data/b1/index/index.json', true, { as: 'next-data', buildId: 'b1', pathname: '/index' }],
    ['/_next/data/b1/a%2Fb.json', true, { as: 'next-data', buildId: 'b1', pathname: '/a%2Fb' }],
    ['/_next/data/b1/about.json', false, undefined],
    ['/_next/data', true, undefined],
    ['/_next/database/b1/about.json', true, undefined],
    ['/_next/static/data/b1/about.json', true, undefined],
    ['/x/_next/data/b1/about.json', true, undefined],
    ['/_portico/data/b1/about.json', true, { as: 'data', buildId: 'b1', pathname: '/about' }],
    ['/_portico/_next/data/b1/about.json', true, undefined],
  ])('X2 %s in a site of Next.js (%s) is %j', (path, dataUrls, wanted) => {
    expect(parseDataPath(path, { dataUrls })).toEqual(wanted)
    // Addresses of the framework in either case: no rule and no rewrite for pages takes them.
    if (wanted) expect(isOwnPath(path, { dataUrls })).toBe(true)
  })
})

describe('other addresses', () => {
  it.each([
    ['/api', true],
    ['/api/', true],
    ['/api/places', true],
    ['/apiary', false],
    ['/api.json', false],
    ['/API/x', false],
    ['/docs/api', false],
    ['/', false],
    ['', false],
  ])('N4 %j under /api: %s', (path, wanted) => {
    expect(isApiPath(path)).toBe(wanted)
  })

  it.each([
    ['/a', '', '/a'],
    ['/shop', '/shop', '/'],
    ['/shop/', '/shop', '/'],
    ['/shop/a', '/shop', '/a'],
    ['/shopping', '/shop', undefined],
    ['/', '/shop', undefined],
    ['/a/shop', '/shop', undefined],
  ])('W1 %s below basePath %j is %s', (pathname, basePath, wanted) => {
    expect(stripBasePath(pathname, basePath)).toBe(wanted)
  })

  it('W1 puts manifests, files and images below the prefix', () => {
    expect(manifestUrl('/shop', 'b1')).toBe('/shop/_portico/manifest/b1.json')
    expect(staticUrl('/shop', 'a-1.js')).toBe('/shop/_portico/static/a-1.js')
    expect(staticUrl('/shop', '/@fs/a.js')).toBe('/@fs/a.js')
    expect(staticUrl('https://cdn.example', 'a-1.js')).toBe('https://cdn.example/_portico/static/a-1.js')
    const url = new URL(imageUrl('', 'https://h.example/a b?c=1&d=%20', 640, 75), 'http://x')
    expect([...url.searchParams]).toEqual([
      ['url', 'https://h.example/a b?c=1&d=%20'],
      ['w', '640'],
      ['q', '75'],
    ])
  })

  it.each([
    ['/a', '/a', ''],
    ['/a?b=1?2', '/a', '?b=1?2'],
    ['/a?', '/a', '?'],
    ['/a#b?c', '/a', ''],
    ['/a?b#c', '/a', '?b'],
    ['?a', '', '?a'],
  ])('W2 splits %s', (target, pathname, search) => {
    expect(splitTarget(target)).toEqual({ pathname, search })
  })
})

describe('locations of redirects', () => {
  const isPublicFile = (path: string) => path === '/LICENSE'
  it.each([
    ['/about', '/about/', '/about'],
    ['/about/?a=/b/#/c', '/about/?a=/b/#/c', '/about?a=/b/#/c'],
    ['/', '/', ''],
    ['/?a=1', '/?a=1', '?a=1'],
    ['//evil.example\\x', '/evil.example/x/', '/evil.example/x'],
    ['/\\evil.example', '/evil.example', '/evil.example'],
    ['/a/../b', '/b/', '/b'],
    ['/api/x', '/api/x', '/api/x'],
    ['/apiary', '/apiary/', '/apiary'],
    ['/a.txt', '/a.txt', '/a.txt'],
    ['/LICENSE', '/LICENSE', '/LICENSE'],
    ['/_portico/image?url=a', '/_portico/image?url=a', '/_portico/image?url=a'],
  ])('R6 D3 %s is written in the canonical spelling of the site', (location, slashed, plain) => {
    const site = { basePath: '/docs', isPublicFile }
    expect(locationOnSite({ ...site, trailingSlash: true }, location)).toBe(`/docs${slashed}`)
    expect(locationOnSite({ ...site, trailingSlash: false }, location)).toBe(`/docs${plain}`)
    const [path = ''] = plain.split(/[?#]/)
    expect(canonicalPath(`/docs${path}`, false)).toEqual({ kind: 'canonical' })
  })

  it('D3 does not change an address of another site', () => {
    for (const location of ['https://example.org/x', 'mailto:a@b', '?a=1', '#top'])
      expect(locationOnSite({ basePath: '/docs', trailingSlash: true, isPublicFile }, location)).toBe(location)
  })
})
