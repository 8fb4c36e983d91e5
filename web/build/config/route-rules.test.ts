import { describe, expect, it } from 'vitest'
import { BuildError } from '../build-error.ts'
import { parseSiteConfig } from './config.ts'
import { refuseUnusedOrigins } from './fields.ts'

const redirect = (rule: object) => ({ redirects: [{ source: '/a', destination: '/b', permanent: true, ...rule }] })

describe('refused rules', () => {
  it.each<[field: string, value: string, rule: string, config: unknown]>([
    ['redirects[0].source', '"/((?:a+)+)"', 'a quantifier inside of a quantifier', redirect({ source: '/((?:a+)+)' })],
    ['redirects[0].source', '"/:a:b"', 'must have text between', redirect({ source: '/:a:b' })],
    ['redirects[0].destination', '"/A"', 'leads to source', redirect({ destination: '/A' })],
    ['redirects[0].destination', '"/b:c"', 'write \\\\: for a ":" that is text', redirect({ destination: '/b:c' })],
    [
      'redirects[0].destination',
      '"https://:h/"',
      'lets ":h" decide whose host it is',
      redirect({ destination: 'https://:h/', has: [{ type: 'query', key: 'h' }] }),
    ],
    [
      'redirects[0].destination',
      '"https://:h/"',
      'lets ":h" decide whose host it is',
      redirect({ source: '/:h', destination: 'https://:h/', has: [{ type: 'host', value: 'a|(?<h>b)' }] }),
    ],
    [
      'redirects[0].destination',
      '"https://a@h.example/"',
      'must be a path',
      redirect({ destination: 'https://a@h.example/' }),
    ],
    [
      'redirects[0].has[0].value',
      '"C++"',
      'has a quantifier after a quantifier',
      redirect({ has: [{ type: 'header', key: 'x-a', value: 'C++' }] }),
    ],
    [
      'redirects[0].missing[0].value',
      '"(?=a)"',
      'a lookahead that must match',
      redirect({ missing: [{ type: 'header', key: 'x-a', value: '(?=a)' }] }),
    ],
    [
      'redirects[0].has[0].key',
      '"b"',
      'is not a member of this rule; known: type, value',
      redirect({ has: [{ type: 'host', key: 'b', value: 'a' }] }),
    ],
    [
      'redirects[0].destination',
      '"https://h.example:80"',
      'lets ":80" decide whose host it is',
      redirect({ source: '/:80', destination: 'https://h.example:80' }),
    ],
    ...['Transfer-Encoding', 'content-encoding', 'ETag', 'x-request-id', 'Trailer', 'Upgrade', 'Portico-Build'].map(
      (key): [string, string, string, unknown] => [
        'headers[0].headers',
        `"${key}"`,
        'is set by Portico',
        { headers: [{ source: '/a', headers: [{ key, value: 'x' }] }] },
      ],
    ),
    ...[':id', 'x y-:id'].map((key): [string, string, string, unknown] => [
      'headers[0].headers',
      `[{"key":"${key}","value":"x"}]`,
      'must be a list of { key, value } with a header name',
      { headers: [{ source: '/:id', headers: [{ key, value: 'x' }] }] },
    ]),
    [
      'headers[0].headers',
      '"x-:other"',
      'uses ":other", which neither source nor has defines',
      { headers: [{ source: '/:id', headers: [{ key: 'x-:other', value: 'x' }] }] },
    ],
    ['redirects[0].missing', '{}', 'must be a list of', redirect({ missing: {} })],
    ['redirects[0].basePath', 'true', 'must be false, or left out', redirect({ basePath: true })],
    ['redirects[0].locale', '"fr"', 'must be false, or left out', redirect({ locale: 'fr' })],
    [
      'rewrites[0].basePath',
      'false',
      'is for rewrites to other hosts',
      { rewrites: [{ source: '/a', destination: '/b', basePath: false }] },
    ],
    ['rewrites.before', '[]', 'known: beforeFiles, afterFiles, fallback', { rewrites: { before: [] } }],
    [
      'rewrites.fallback[0].source',
      '"a"',
      'must begin with "/"',
      { rewrites: { fallback: [{ source: 'a', destination: '/b' }] } },
    ],
  ])('X5 %s = %s: %s', (field, value, rule, config) => {
    expect(() => parseSiteConfig(config)).toThrow(BuildError)
    expect(() => parseSiteConfig(config)).toThrow(`portico.config.ts: ${field} = ${value}: `)
    expect(() => parseSiteConfig(config)).toThrow(rule)
  })
})

describe('rewrites to other hosts', () => {
  const rewrite = (rule: object) => ({
    rewrites: [{ source: '/:a/:path*', destination: 'https://h.example/', ...rule }],
  })

  it.each<[destination: string, rule?: object]>([
    ['https://:a.example.org/'],
    ['https://api.:a.org/'],
    ['https://:a/'],
    ['https://h.example::a/'],
    ['https://h.example:99999/'],
    ['https://(.*).example/'],
    ['https://*.example/'],
    ['https://:apex/', { has: [{ type: 'host', value: 'www\\.(?<apex>.+)' }] }],
  ])('X4 SECURITY refuse the destination %s, whose host is not fixed', (destination, rule) => {
    const text = `portico.config.ts: rewrites[0].destination = ${JSON.stringify(destination)}: must begin with a fixed host`
    expect(() => parseSiteConfig(rewrite({ destination, ...rule }))).toThrow(text)
  })

  it.each([
    ['ftp://h.example/', 'must be a path'],
    ['//h.example/', 'must be a path'],
    ['https://user:secret@h.example/', 'must be a path'],
    ['https://h.example/a/../:path*', 'must not contain "." or ".."'],
    ['https://h.example/%2E%2e', 'must not contain "." or ".."'],
    ['https://h.example/:other', 'uses ":other"'],
  ])('X4 refuse the destination %s', (destination, rule) => {
    expect(() => parseSiteConfig(rewrite({ destination }))).toThrow(rule)
  })

  it('X4 are accepted in each list, with parameters in path and query, and with `basePath: false`', () => {
    const destinations = ['https://h.example', 'http://[::1]:3000/x/:path*?a=:a', 'http://localhost:80/:path*']
    const fallback = destinations.map((destination) => ({ source: '/:a/:path*', destination, basePath: false }))
    expect(parseSiteConfig({ rewrites: { fallback } }).rewrites).toEqual(
      fallback.map((rule) => ({ ...rule, phase: 'fallback' })),
    )
  })

  it('X4 pass the credentials that `rewriteOrigins` names', () => {
    const origins = { 'https://h.example': { cookies: ['session'] } }
    expect(parseSiteConfig({ ...rewrite({}), rewriteOrigins: origins }).rewriteOrigins).toEqual({
      'https://h.example': { cookies: ['session'], authorization: false },
    })
  })

  it.each<[field: string, rule: string, origins: unknown]>([
    ['rewriteOrigins', 'must be an object', []],
    ['rewriteOrigins["h.example"]', 'must be an origin', { 'h.example': {} }],
    ['rewriteOrigins["https://h.example/"]', 'must be an origin', { 'https://h.example/': {} }],
    ['rewriteOrigins["https://h.example"]', 'must be an object', { 'https://h.example': true }],
    ['rewriteOrigins["https://h.example"].cookies', 'names of cookies', { 'https://h.example': { cookies: ['a b'] } }],
    ['rewriteOrigins["https://h.example"].cookies', 'names of cookies', { 'https://h.example': { cookies: '*' } }],
    [
      'rewriteOrigins["https://h.example"].authorization',
      'true or false',
      { 'https://h.example': { authorization: 1 } },
    ],
    [
      'rewriteOrigins["https://h.example"].headers',
      'known: cookies, authorization',
      { 'https://h.example': { headers: [] } },
    ],
  ])('X4 refuse %s: %s', (field, rule, rewriteOrigins) => {
    expect(() => parseSiteConfig({ ...rewrite({}), rewriteOrigins })).toThrow(`portico.config.ts: ${field} = `)
    expect(() => parseSiteConfig({ ...rewrite({}), rewriteOrigins })).toThrow(rule)
  })
})

it('X15 an origin without a rewrite is one to which middleware may rewrite, and a fault without middleware', () => {
  const config = parseSiteConfig({ rewriteOrigins: { 'https://h.example': {} } })
  const faultsOf = (folder: { middleware?: unknown }) => {
    const faults: string[] = []
    refuseUnusedOrigins(config, folder, ({ message }) => void faults.push(message))
    return faults
  }
  expect(faultsOf({ middleware: { file: 'middleware.ts' } })).toEqual([])
  expect(faultsOf({})).toEqual([expect.stringContaining('no rewrite leads to another host')])
})

describe('accepted rules', () => {
  const condition = [{ type: 'cookie', key: 'a' }]

  it('X5 with `missing` and `basePath: false` keep both', () => {
    const rule = { source: '/((?!api|_next/static).*)', missing: condition, basePath: false }
    expect(
      parseSiteConfig({
        redirects: [{ ...rule, destination: '/b', statusCode: 303 }],
        headers: [{ ...rule, headers: [] }],
      }),
    ).toMatchObject({ redirects: [{ ...rule, status: 303 }], headers: [rule] })
  })

  it('X5 use the parameters of path and conditions in every part of the destination', () => {
    const has = [{ type: 'host', value: 'www\\.(?<apex>.+)' }]
    const destinations = ['https://:apex/:id', 'https://:id.example.org:8443/', '/post-:id.html?at=12:30&x=:id#:apex']
    const redirects = destinations.map((destination) => ({ source: '/:id(\\d+)', destination, has, permanent: true }))
    expect(parseSiteConfig({ redirects }).redirects.map(({ destination }) => destination)).toEqual(destinations)
  })

  it('X4 of rewrites are one list, each with the time at which it is compared', () => {
    const rule = (name: string) => ({ source: `/${name}`, destination: '/x', missing: condition })
    expect(
      parseSiteConfig({ rewrites: { fallback: [rule('c')], beforeFiles: [rule('a')], afterFiles: [rule('b')] } })
        .rewrites,
    ).toEqual([{ ...rule('a'), phase: 'beforeFiles' }, rule('b'), { ...rule('c'), phase: 'fallback' }])
  })
})
