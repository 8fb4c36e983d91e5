import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePattern, fillDestination, type HasFacts, hasAll, matchPattern, patternNames } from './path-patterns.ts'

const match = (source: string, path: string) => {
  const params = matchPattern(compilePattern(source), path)
  return params && { ...params }
}

describe('matching', () => {
  it.each([
    ['/', '/', {}],
    ['/old', '/old', {}],
    ['/old', '/old/', {}],
    ['/old/:id', '/old/7', { id: '7' }],
    ['/old/:id', '/old/a%2Fb', { id: 'a%2Fb' }],
    ['/old/:id/x/:name', '/old/1/x/2', { id: '1', name: '2' }],
    ['/old/:rest*', '/old', { rest: '' }],
    ['/old/:rest*', '/old/a/b', { rest: 'a/b' }],
    ['/:rest*', '/', { rest: '' }],
    ['/old/:rest+', '/old/a/b', { rest: 'a/b' }],
    ['/:__proto__', '/x', Object.fromEntries([['__proto__', 'x']])],
    ['/café', '/caf%C3%A9', {}],
    ['/café', '/caf%c3%a9', {}],
    ['/caf%C3%A9', '/caf%C3%A9', {}],
    ['/admin', '/%61dmin', {}],
    ['/a b', '/a%20b', {}],
  ])('R7 %s fits %s', (source, path, params) => {
    const found = match(source, path)
    expect(found && Object.entries(found)).toEqual(Object.entries(params))
  })

  it.each([
    ['/', '/a'],
    ['/old', '/older'],
    ['/old', '/old/x'],
    ['/old', '/Old'],
    ['/old/:id', '/old'],
    ['/old/:id', '/old/a/b'],
    ['/old/:rest+', '/old'],
    ['/old/:rest+', '/old/'],
    ['/a/b', '/a%2Fb'],
    ['/a', '/%'],
    ['/a', '/%E6'],
  ])('R7 %s does not fit %s', (source, path) => {
    expect(match(source, path)).toBeUndefined()
  })

  it('R7 lists the names that a pattern binds', () => {
    expect(patternNames(compilePattern('/a/:id/:rest*'))).toEqual(['id', 'rest'])
  })
})

describe('refusing', () => {
  it.each([
    ['', 'must begin with "/"'],
    ['old', 'must begin with "/"'],
    ['https://h.example/', 'must begin with "/"'],
    ['/old?x=1', 'must not contain a query'],
    ['/old#x', 'must not contain a query'],
    ['/old/:', '":" must be :name'],
    ['/old/:1a', 'must be :name'],
    ['/old/:id(\\d+)', 'must be :name'],
    ['/old/:a-:b', 'must be :name'],
    ['/:id/:id', '"id" is given twice'],
    ['/:rest*/x', 'must be the last segment'],
    ['/:rest+/x', 'must be the last segment'],
    ['/old-:id', '"old-:id" must be'],
    ['/(.*)', '"(.*)" must be'],
    ['/old/*', '"*" must be'],
    ['/old/**', '"**" must be'],
    ['/old/{a}', '"{a}" must be'],
    ['/old\\x', 'must be'],
  ])('R7 %j is refused: %s', (source, message) => {
    expect(() => compilePattern(source)).toThrow(message)
  })
})

describe('destinations', () => {
  it.each([
    ['/new/:id', { id: '7' }, '/new/7'],
    ['/new?id=:id', { id: '7' }, '/new?id=7'],
    ['/:rest*', { rest: 'a/b' }, '/a/b'],
    ['/new/:rest+', { rest: 'a/b' }, '/new/a/b'],
    ['/new/:rest*', { rest: '' }, '/new/'],
    ['/new/:other', { id: '7' }, '/new/:other'],
    ['/new/:id', { id: ':id' }, '/new/:id'],
    ['/new/:id', { id: '$&$1' }, '/new/$&$1'],
    ['https://h.example/:id', { id: '7' }, 'https://h.example/7'],
    ['https://h.example:8443/:id', { id: '7' }, 'https://h.example:8443/7'],
    ['/日本/:id', { id: '%C3%A9' }, '/%E6%97%A5%E6%9C%AC/%C3%A9'],
  ])('R7 %s with %j is %s', (destination, params, wanted) => {
    expect(fillDestination(destination, params)).toBe(wanted)
  })

  const attack = fc
    .array(
      fc.constantFrom(
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
        '?',
        '#',
        '%',
        'é',
        '\ud800',
        'javascript:',
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''))

  it.each(['/:rest*', '/:id', '/:id/:rest*', '/:id:rest*', '/new/:id', '/new?to=:id', '/:rest*#:id'])(
    'R7 %s is on its origin and in one header line for all params',
    (destination) => {
      const origin = 'https://site.example'
      fc.assert(
        fc.property(attack, attack, (id, rest) => {
          const filled = fillDestination(destination, { id, rest })
          expect(filled).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/)
          expect(new URL(filled, origin).origin).toBe(origin)
        }),
        { numRuns: 500 },
      )
    },
  )

  it('R7 keeps the origin that the author wrote', () => {
    fc.assert(
      fc.property(attack, (rest) => {
        const filled = fillDestination('https://other.example/:rest*', { rest })
        expect(new URL(filled).origin).toBe('https://other.example')
      }),
    )
  })
})

describe('conditions', () => {
  const facts: HasFacts = {
    header: (name) => ({ 'x-a': '1' })[name],
    cookie: (name) => ({ theme: 'dark' })[name],
    query: (name) => ({ page: '' })[name],
    host: () => 'a.example',
  }
  it.each([
    [undefined, true],
    [[], true],
    [[{ type: 'header', key: 'x-a' }], true],
    [[{ type: 'header', key: 'x-a', value: '1' }], true],
    [[{ type: 'header', key: 'x-a', value: '' }], false],
    [[{ type: 'header', key: 'x-b' }], false],
    [[{ type: 'cookie', key: 'theme', value: 'dark' }], true],
    [[{ type: 'cookie', key: 'theme', value: '.*' }], false],
    [[{ type: 'query', key: 'page' }], true],
    [[{ type: 'query', key: 'page', value: '2' }], false],
    [[{ type: 'host', value: 'a.example' }], true],
    [[{ type: 'host', value: 'A.Example' }], true],
    [[{ type: 'host', value: 'b.example' }], false],
    [
      [
        { type: 'host', value: 'a.example' },
        { type: 'header', key: 'x-b' },
      ],
      false,
    ],
  ] satisfies [Parameters<typeof hasAll>[0], boolean][])('R7 has %j: %s', (conditions, wanted) => {
    expect(hasAll(conditions, facts)).toBe(wanted)
  })
})
