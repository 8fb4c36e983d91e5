import type { LocalPattern } from '@portico/shared/wire/build-output.ts'
import { describe, expect, test } from 'vitest'
import { imageSettings } from '../testing/image-settings.ts'
import { parseImageRequest } from '../testing.ts'
import { createParamRules } from './request.ts'

const settings = imageSettings({
  remotePatterns: [
    { protocol: 'https', hostname: '*.example.org', pathname: '/photos/**' },
    { hostname: '127.0.0.1' },
    { hostname: '**.cdn.example', port: '', search: '' },
  ],
})
const rules = (changes = settings, basePath = '') => createParamRules(changes, basePath)
const query = (url: string, rest = '&w=640&q=75') => `?url=${encodeURIComponent(url)}${rest}`

describe('image parameters', () => {
  test.each([
    ['?url=/a.png&w=640&q=75', '/a.png', 640, 75],
    ['?url=/a.png&width=640&quality=95', '/a.png', 640, 95],
    ['?url=%2Fa.png&w=16', '/a.png', 16, 75],
    [query('/with space.png'), '/with%20space.png', 640, 75],
    [query('/end.png '), '/end.png%20', 640, 75],
    [query('/a%20b.png'), '/a%20b.png', 640, 75],
    [query('/ü.png?v=1'), '/%C3%BC.png?v=1', 640, 75],
    [query('/%73un%2d%c3%bc.png?%73'), '/sun-%C3%BC.png?%73', 640, 75],
    [query('/_portico/static/hero-0a1b2c3d.jpg'), '/_portico/static/hero-0a1b2c3d.jpg', 640, 75],
    [query('/apiary.png'), '/apiary.png', 640, 75],
    [query('https://img.example.org/photos/a.jpg'), 'https://img.example.org/photos/a.jpg', 640, 75],
    [query('HTTPS://IMG.Example.ORG:443/photos/a.jpg'), 'https://img.example.org/photos/a.jpg', 640, 75],
    [query('https://a.b.cdn.example/x.png'), 'https://a.b.cdn.example/x.png', 640, 75],
  ])('I1 parses %s', (search, url, width, quality) => {
    expect(parseImageRequest(search, rules())).toMatchObject({ kind: 'image', source: { url }, width, quality })
  })

  test.each(['https://cdn.example/x', '/cdn'])(
    'X4 an imported image below assetPrefix %s is a file of the site',
    (prefix) => {
      const own = createParamRules(settings, '/shop', prefix)
      const sourceOf = (path: string) => parseImageRequest(query(prefix + path), own)
      const source = { kind: 'local', url: '/shop/_portico/static/hero-0a1b2c3d.jpg' }
      expect(sourceOf('/_portico/static/hero-0a1b2c3d.jpg')).toMatchObject({ source })
      for (const path of [
        '/_portico/static/../../api/x',
        '/_portico/static/%2e%2e/image',
        '/_portico/image?url=/a',
        '/a.png',
      ])
        expect(sourceOf(path), path).toMatchObject({ kind: 'refused' })
    },
  )

  test.each([
    ['?w=640', 'url', 'is missing'],
    ['?url=&w=640', 'url', 'is missing'],
    ['?url=/a.png', 'w', 'is missing'],
    ['?url=/a.png&w=641', 'w', 'must be one of 16, 32'],
    ['?url=/a.png&w=0640', 'w', 'must be one of'],
    ['?url=/a.png&w=6.4e2', 'w', 'must be one of'],
    ['?url=/a.png&w=-640', 'w', 'must be one of'],
    ['?url=/a.png&w=640&q=74', 'q', 'must be one of 50, 60'],
    ['?url=/a.png&w=640&q=', 'q', 'must be one of'],
    ['?url=/a.png&w=640&w=640', 'w', 'is given twice'],
    ['?url=/a.png&url=/b.png&w=640', 'url', 'is given twice'],
    ['?url=/a.png&w=640&width=640', 'width', 'must not be combined with w'],
    ['?url=/a.png&w=640&q=75&quality=75', 'quality', 'must not be combined with q'],
    ['?url=/a.png&w=640&cache=1', 'cache', 'is not a parameter'],
    ['?url=/a.png&w=640&__proto__=1', '__proto__', 'is not a parameter'],
    ['?url=/a.png&placeholder=2', 'placeholder', 'must be 1'],
    ['?url=/a.png&placeholder=1&w=640', 'w', 'must not be combined with placeholder'],
  ])('I1 responds 400 for %s, naming parameter and rule', (search, parameter, rule) => {
    const result = parseImageRequest(search, rules())
    expect(result).toMatchObject({ kind: 'refused', parameter })
    expect(result.kind === 'refused' && result.rule).toContain(rule)
  })

  test.each([
    ['//evil.example/a.png', 'exactly one slash'],
    ['/\\evil.example/a.png', 'exactly one slash'],
    ['/a\\b.png', 'no backslash'],
    ['/a.png#x', 'hash'],
    ['/a\u0000.png', 'control character'],
    ['/a\n.png', 'control character'],
    ['/images/../secret.png', 'canonical'],
    ['/images/%2e%2e/secret.png', 'canonical'],
    ['/images/.%2E/secret.png', 'canonical'],
    ['/./a.png', 'canonical'],
    ['/a//b.png', 'canonical'],
    ['/a/', 'canonical'],
    ['/a%2fb.png', 'encoded slash'],
    ['/a%5Cb.png', 'encoded slash'],
    ['/a%00.png', 'encoded slash'],
    ['/a%zz.png', 'malformed'],
    ['/a%ff.png', 'malformed'],
    ['/api/image', 'address of the service itself'],
    ['/%61pi/image', 'address of the service itself'],
    ['/_portico/image?url=/a.png', 'address of the service itself'],
    ['/%5Fportico/image?url=/a.png', 'address of the service itself'],
    ['/_portico/data/b1/index.json', 'address of the service itself'],
    ['/_next/image?url=/a.png', 'address of the service itself'],
    ['a.png', 'must be a path of this site or'],
    ['ftp://img.example.org/photos/a.jpg', 'must be a path of this site or'],
    ['data:image/png;base64,AAAA', 'must be a path of this site or'],
    ['file:///etc/passwd', 'must be a path of this site or'],
    ['http://img.example.org/photos/a.jpg', 'remotePatterns'],
    ['https://example.org/photos/a.jpg', 'remotePatterns'],
    ['https://a.b.example.org/photos/a.jpg', 'remotePatterns'],
    ['https://img.example.org/other/a.jpg', 'remotePatterns'],
    ['https://img.example.org.evil.example/photos/a.jpg', 'remotePatterns'],
    ['https://cdn.example/x.png', 'remotePatterns'],
    ['https://a.cdn.example:8443/x.png', 'remotePatterns'],
    ['https://a.cdn.example/x.png?y=1', 'remotePatterns'],
    ['https://user:secret@img.example.org/photos/a.jpg', 'credentials'],
    ['https://img.example.org\\@evil.example/photos/a.jpg', 'backslash'],
    ['https://img.example.org/photos/a.jpg#x', 'hash'],
    ['http://127.0.0.1/a.png', 'private address'],
    ['http://0x7f.1/a.png', 'private address'],
    ['http://2130706433/a.png', 'private address'],
  ])('I1 refuses the source %j', (url, rule) => {
    const result = parseImageRequest(query(url), rules())
    expect(result).toMatchObject({ kind: 'refused', parameter: 'url' })
    expect(result.kind === 'refused' && result.rule).toContain(rule)
  })

  test('I1 refuses a source of more than 3072 characters', () => {
    expect(parseImageRequest(query(`/${'a'.repeat(3072)}`), rules())).toMatchObject({
      rule: expect.stringContaining('3072'),
    })
  })

  test('I1 applies localPatterns, but never to files of static imports', () => {
    const narrow = rules(imageSettings({ localPatterns: [{ pathname: '/photos/**', search: '' }] }))
    expect(parseImageRequest(query('/photos/a/b.jpg'), narrow).kind).toBe('image')
    expect(parseImageRequest(query('/photos/a.jpg?v=1'), narrow).kind).toBe('refused')
    expect(parseImageRequest(query('/private/a.jpg'), narrow).kind).toBe('refused')
    expect(parseImageRequest(query('/photos/../private/a.jpg'), narrow).kind).toBe('refused')
    expect(parseImageRequest(query('/_portico/static/a-12345678.jpg'), narrow).kind).toBe('image')
  })

  test('I1 accepts only paths below basePath', () => {
    const based = rules(settings, '/shop')
    expect(parseImageRequest(query('/shop/a.png'), based)).toMatchObject({ source: { url: '/shop/a.png' } })
    expect(parseImageRequest(query('/a.png'), based)).toMatchObject({ rule: 'must be below /shop' })
    expect(parseImageRequest(query('/shopping/a.png'), based).kind).toBe('refused')
    expect(parseImageRequest(query('/shop/api/a.png'), based).kind).toBe('refused')
    expect(parseImageRequest(query('/shop/_portico/image?url=x'), based).kind).toBe('refused')
  })

  test('I1 accepts an API handler as a source only when a pattern begins with its path', () => {
    const opened = (pathname: string) => rules(imageSettings({ localPatterns: [{ pathname }, { pathname: '/a/**' }] }))
    const kindOf = (url: string, pathname: string) => parseImageRequest(query(url), opened(pathname)).kind
    expect(kindOf('/api/images/a.png', '/api/images/**')).toBe('image')
    expect(kindOf('/api/images/a.png', '/api/**')).toBe('image')
    for (const url of ['/api', '/api/other/a.png', '/%61pi/images/a.png', '/api/images/../x', '/api/images?a=1'])
      expect([url, kindOf(url, '/api/images/**')]).toEqual([url, 'refused'])
    for (const pathname of ['/**', '/*pi/**', '/{api,a}/**', '/apiary/**', '/api'])
      expect([pathname, kindOf('/api/images/a.png', pathname)]).toEqual([pathname, 'refused'])
    const withPattern = (pattern: LocalPattern) =>
      rules(imageSettings({ localPatterns: [{ pathname: '/**' }, pattern] }))
    for (const [url, pattern] of [
      ['/api/cover-delete', { pathname: '/api/cover' }],
      ['/api/cover/x', { pathname: '/api/cover' }],
      ['/api/x/delete', { pathname: '/api/@me/avatar' }],
      ['/api/p/a?run=1', { pathname: '/api/p/**', search: '' }],
    ] as const)
      expect([url, parseImageRequest(query(url), withPattern(pattern)).kind]).toEqual([url, 'refused'])
    expect(parseImageRequest(query('/api/cover'), withPattern({ pathname: '/api/cover' })).kind).toBe('image')
    const based = createParamRules(imageSettings({ localPatterns: [{ pathname: '/shop/api/images/**' }] }), '/shop')
    expect(parseImageRequest(query('/shop/api/images/a.png'), based).kind).toBe('image')
    expect(parseImageRequest(query('/shop/api/other.png'), based).kind).toBe('refused')
  })

  test('I8 parses a request for placeholder and dimensions', () => {
    expect(parseImageRequest('?url=/a.png&placeholder=1', rules())).toEqual({
      kind: 'facts',
      source: { kind: 'local', url: '/a.png' },
    })
  })

  test("I1 chooses the author's quality nearest to 75 when 75 is not in the list", () => {
    expect(parseImageRequest('?url=/a.png&w=640', rules(imageSettings({ qualities: [40, 80] })))).toMatchObject({
      quality: 80,
    })
  })
})
