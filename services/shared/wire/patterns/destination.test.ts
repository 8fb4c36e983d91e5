import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compileDestination,
  destinationNames,
  fillDestination,
  fillName,
  fillText,
  joinSearch,
  paramsSearch,
} from './destination.ts'
import type { PatternParams } from './path-patterns.ts'

const fill = (destination: string, params: PatternParams, names = Object.keys(params)) => {
  const target = fillDestination(compileDestination(destination, new Set(names)), params)
  return target && target.base + target.search + target.hash
}

describe('a filled destination', () => {
  it.each<[string, PatternParams, string]>([
    ['/new/:id', { id: '7' }, '/new/7'],
    ['/new?id=:id', { id: '7' }, '/new?id=7'],
    ['/new?id=:id&x=1#:id', { id: 'a&b=c+d' }, '/new?id=a%26b%3Dc%2Bd&x=1#a&b=c+d'],
    ['/:rest*', { rest: ['a', 'b'] }, '/a/b'],
    ['/:rest', { rest: ['a', 'b'] }, '/a/b'],
    ['/new/:rest+', { rest: ['a', 'b'] }, '/new/a/b'],
    ['/post-:id.html', { id: '7' }, '/post-7.html'],
    ['/:a-:b', { a: '1', b: '2' }, '/1-2'],
    ['/new/:other', { id: '7' }, '/new/:other'],
    ['/new\\:id/:id', { id: '7' }, '/new:id/7'],
    ['/at?time=12:30', { id: '7' }, '/at?time=12:30'],
    ['/new/:id', { id: ':id' }, '/new/:id'],
    ['/new/:id', { id: '$&$1' }, '/new/$&$1'],
    ['https://h.example/:id', { id: '7' }, 'https://h.example/7'],
    ['https://h.example:8443/:id', { id: '7' }, 'https://h.example:8443/7'],
    ['https://h.example', { id: '7' }, 'https://h.example'],
    ['https://:sub.h.example/:id', { sub: 'a.b', id: '7' }, 'https://a.b.h.example/7'],
    ['/日本/:id', { id: '%C3%A9' }, '/%E6%97%A5%E6%9C%AC/%C3%A9'],
  ])('X5 %s with %j is %s', (destination, params, wanted) => {
    expect(fill(destination, params)).toBe(wanted)
  })

  it('X5 is without the slash or the dot before an absent parameter', () => {
    expect(fill('/new/:rest*', {}, ['rest'])).toBe('/new')
    expect(fill('/:rest*', {}, ['rest'])).toBe('/')
    expect(fill('/a.:ext?', {}, ['ext'])).toBe('/a')
    expect(fill('/a/:x/b', {}, ['x'])).toBe('/a/b')
  })

  it.each(['', 'a%2F', 'a/b', 'a@b', 'a:1', '-a', 'a..b', '.a', 'a.', 'a?b', 'é'])(
    'X5 is none for the host %j',
    (sub) => {
      expect(fill('https://:sub.h.example/', { sub })).toBeUndefined()
    },
  )

  const attack = fc
    .array(
      fc.constantFrom(
        ...[
          '/',
          '\\',
          '//evil.org',
          '%2F%2Fevil.org',
          '\\\\evil.org',
          'evil.org',
          '@',
          ':',
          '.',
          '..',
          '\t',
          '\r\n',
          ' ',
        ],
        ...['?', '#', '%', 'é', '\ud800', 'javascript:'],
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''))

  it.each([
    '/:rest*',
    '/:id',
    '/:id/:rest*',
    '/:id:rest*',
    '/new/:id',
    '/new?to=:id',
    '/:rest*#:id',
    '/\\/:id',
    '/.:id',
  ])('R7 %s is on its origin and in one header line for all parameters', (destination) => {
    const origin = 'https://site.example'
    fc.assert(
      fc.property(attack, attack, (id, rest) => {
        const filled = fill(destination, { id, rest })
        expect(filled).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/)
        expect(new URL(filled!, origin).origin).toBe(origin)
      }),
      { numRuns: 500 },
    )
  })

  it('R7 keeps the origin that the author wrote', () => {
    fc.assert(
      fc.property(attack, (rest) => {
        expect(new URL(fill('https://other.example/:rest*', { rest })!).origin).toBe('https://other.example')
        const filled = fill('https://:rest.other.example/', { rest })
        if (filled !== undefined) expect(new URL(filled).hostname).toMatch(/[a-z0-9]\.other\.example$/)
      }),
    )
  })
})

describe('a query', () => {
  it.each<[string, string, string]>([
    ['', '?a=1', '?a=1'],
    ['?b=1', '', '?b=1'],
    ['?b=1', '?a=1', '?b=1&a=1'],
    ['?a=1', '?a=2&b=3&%61=4&a', '?a=1&b=3'],
    ['?a=1', '?a=2', '?a=1'],
  ])('X5 %j before %j is %j', (first, second, wanted) => {
    expect(joinSearch(first, second)).toBe(wanted)
  })

  it('X5 has the parameters that a destination does not use', () => {
    expect(paramsSearch({})).toBe('')
    expect(paramsSearch({ id: 'a&b', path: ['x', 'y'] })).toBe('?id=a%26b&path=x&path=y')
  })
})

describe('names of a destination', () => {
  it.each<[string, string[], string | undefined]>([
    ['/new/:id?x=:x#:y', ['id', 'x', 'y'], undefined],
    ['/a\\:b', [], undefined],
    ['https://h.example:8443/:id', ['8443', 'id'], undefined],
    ['https://:host/x', ['host'], 'host'],
    ['https://h.example.:tld/', ['tld'], 'tld'],
    ['https://:name.org/', ['name'], 'name'],
    ['https://:sub.h.example/', ['sub'], undefined],
    ['https://:a.:b.h.example/', ['a', 'b'], undefined],
    ['https://h.example::port/', ['port'], 'port'],
    ['https://h.example:80/', ['80'], '80'],
  ])('X5 of %s are %j', (destination, used, decidesHost) => {
    expect(destinationNames(destination, new Set(['80']))).toEqual({ used, decidesHost })
  })
})

it('X5 fills the parameters in the text of a header, and never ends its line', () => {
  expect(fillText('/:path*; a=:b; :other', { path: ['x', 'y'], b: '1' })).toBe('/x/y; a=1; :other')
  expect(fillText(':a', { a: 'x\r\ny: z' })).toBe('x%0D%0Ay:%20z')
  expect(fillText('a=:a; Path=/', { a: 'en;Domain=h.example,"<b>' })).toBe(
    'a=en%3BDomain=h.example%2C%22%3Cb%3E; Path=/',
  )
})

it('X5 fills the parameters in the name of a header, where that makes a name', () => {
  expect(fillName('x-:a-end', { a: 'B1' })).toBe('x-B1-end')
  expect(fillName('x-:a', { a: ['b'] })).toBe('x-b')
  for (const a of ['b c', 'b:', 'b%0D%0Ax', 'b\r\nx: y', 'ä', ['b', 'c']])
    expect(fillName('x-:a', { a })).toBeUndefined()
})
