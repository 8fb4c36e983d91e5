// Rewrites to other hosts in the order of rules (X4), and where their paths lead for any path of a client.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFacts, NO_FACTS } from '../patterns/conditions.ts'
import { splitFixedOrigin } from '../patterns/destination.ts'
import { pageOf } from '../testing/page-entry.ts'
import { createPageResolver, createTargetResolver } from './resolve-page.ts'

type ResolverTables = Parameters<typeof createTargetResolver>[0]

const tables: ResolverTables = {
  pages: ['/about', '/taken', '/places/[slug]'].map(pageOf),
  rewrites: [
    { source: '/step', destination: '/taken', phase: 'beforeFiles' },
    { source: '/taken', destination: 'https://a.example/before', phase: 'beforeFiles' },
    { source: '/before', destination: '/never', phase: 'beforeFiles' },
    { source: '/whole/:x', destination: 'https://a.example/whole/:x', basePath: false, phase: 'beforeFiles' },
    { source: '/about', destination: 'https://a.example/never' },
    { source: '/places/far', destination: 'https://a.example:8443/far' },
    { source: '/chain', destination: '/chain/two' },
    { source: '/chain/two', destination: 'http://b.example?two=1' },
    { source: '/join/:path*', destination: 'https://a.example/prefix/:path*?own=1' },
    { source: '/unused/:a', destination: 'https://a.example/fixed' },
    {
      source: '/if',
      destination: 'https://a.example/if',
      has: [{ type: 'cookie', key: 'a' }],
      missing: [{ type: 'query', key: 'b' }],
    },
    { source: '/:path*', destination: 'https://last.example/:path*', phase: 'fallback' },
  ],
}
const find = createTargetResolver(tables)
const factsOf = (search: string) =>
  createFacts({ search, header: () => undefined, cookie: () => '1', host: () => 'site.example' })
const placeOf = (path: string, search = '') => {
  const target = find(path, search, factsOf(search))
  return target.kind === 'external' ? target.origin + target.pathname + target.search : target.kind
}

describe('a rewrite to another host', () => {
  it.each([
    ['/taken', '', 'https://a.example/before'],
    ['/step', '?x=1', 'https://a.example/before?x=1'],
    ['/about', '', 'page'],
    ['/places/near', '', 'page'],
    ['/places/far', '', 'https://a.example:8443/far'],
    ['/chain', '?x=1', 'http://b.example/?two=1&x=1'],
    ['/join', '', 'https://a.example/prefix?own=1'],
    ['/join/a%2Fb/%25?own=2', '', 'https://a.example/prefix/a%2Fb/%25?own=1'],
    ['/unused/1', '', 'https://a.example/fixed?a=1'],
    ['/if', '', 'https://a.example/if'],
    ['/if', '?b=1', 'https://last.example/if?b=1'],
    ['/', '', 'https://last.example/'],
    ['/whole/1', '', 'https://a.example/whole/1'],
  ])('X4 %s%s leads to %s', (path, search, place) => {
    const [pathname = '', own = ''] = path.split('?')
    expect(placeOf(pathname, search || (own && `?${own}`))).toBe(place)
  })

  it('X4 with `basePath: false` reads the whole path, also outside of basePath', () => {
    expect(find(undefined, '', NO_FACTS, '/whole/1')).toMatchObject({ kind: 'external', pathname: '/whole/1' })
    expect(find('/whole/1', '', NO_FACTS, '/base/whole/1')).toMatchObject({ origin: 'https://last.example' })
    expect(find(undefined, '', NO_FACTS, '/taken')).toMatchObject({ kind: 'no-match' })
  })

  it('X4 is no page for a renderer', () => {
    expect(createPageResolver(tables)('/taken', '', NO_FACTS)).toEqual({ kind: 'no-match' })
  })
})

it('X4 SECURITY for any path and query the host is that of the rule, and the path stays below its prefix', () => {
  const piece = fc.constantFrom(
    '..',
    '.',
    '%2e',
    '%2E%2e',
    '%2f',
    '%5c',
    '..;x',
    '@',
    ':80',
    '//',
    '%00',
    '%',
    'a',
    '%25',
    '\\',
  )
  const path = fc.array(piece, { maxLength: 6 }).map((pieces) => `/join/${pieces.join('')}`)
  fc.assert(
    fc.property(path, fc.string(), (pathname, text) => {
      const target = find(pathname, text === '' ? '' : `?${encodeURIComponent(text)}`, factsOf(''))
      if (target.kind === 'malformed') return
      if (target.kind !== 'external') throw new Error(target.kind)
      // A server may decode the path before it resolves it.
      for (const sent of [target.pathname, decodeURIComponent(target.pathname).replaceAll('\\', '/')]) {
        const url = new URL(`${target.origin}${sent.replace(/[?#]/g, '_')}${target.search}`)
        expect(url.origin).toBe('https://a.example')
        expect(url.pathname).toMatch(/^\/prefix(?:\/|$)/)
      }
    }),
    { numRuns: 2000 },
  )
})

it.each([
  ['https://A.Example:443/x', 'https://a.example', '/x'],
  ['http://[::1]:3000?x', 'http://[::1]:3000', '?x'],
  ['https://bücher.example', 'https://xn--bcher-kva.example', ''],
  ['http://0x7f.1/', 'http://127.0.0.1', '/'],
])('X4 the origin of %s is %s', (destination, origin, rest) => {
  expect(splitFixedOrigin(destination)).toEqual({ origin, rest })
})
