import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchPattern } from '../testing.ts'
import { compilePattern, type PatternParams } from './path-patterns.ts'

const match = (source: string, path: string) => {
  const params = matchPattern(compilePattern(source), path)
  return params && { ...params }
}

describe('matching', () => {
  it.each<[string, string, PatternParams]>([
    ['/', '/', {}],
    ['/old', '/old', {}],
    ['/old', '/old/', {}],
    ['/old/', '/old', {}],
    ['/old', '//old', {}],
    ['/old', '/Old', {}],
    ['/OLD/:Id', '/old/Ab', { Id: 'Ab' }],
    ['/old/:id', '/old/7', { id: '7' }],
    ['/old/:id', '/old/a%2Fb', { id: 'a%2Fb' }],
    ['/old/:id/x/:name', '/old/1/x/2', { id: '1', name: '2' }],
    ['/:0', '/x', { 0: 'x' }],
    ['/:__proto__', '/x', Object.fromEntries([['__proto__', 'x']])],
    ['/café', '/caf%C3%A9', {}],
    ['/café', '/caf%c3%a9', {}],
    ['/caf%C3%A9', '/caf%C3%A9', {}],
    ['/admin', '/%61dmin', {}],
    ['/a b', '/a%20b', {}],
    // Repeated and optional parameters.
    ['/old/:rest*', '/old', {}],
    ['/old/:rest*', '/old/a/b', { rest: ['a', 'b'] }],
    ['/:rest*', '/', {}],
    ['/:rest*', '/a/%2F', { rest: ['a', '%2F'] }],
    ['/old/:rest+', '/old/a/b', { rest: ['a', 'b'] }],
    ['/:lang?/about', '/about', {}],
    ['/:lang?/about', '/de/about', { lang: 'de' }],
    ['/:rest*/edit', '/edit', {}],
    ['/:rest*/edit', '/a/edit/edit', { rest: ['a', 'edit'] }],
    ['/x/:first/:rest*', '/x/a/b/c', { first: 'a', rest: ['b', 'c'] }],
    ['/x{-:part}*', '/x-a-b', { part: ['a', 'b'] }],
    ['/x{-:part}+', '/x-a', { part: ['a'] }],
    ['/:name.:ext?', '/a.tar.gz', { name: 'a.tar', ext: 'gz' }],
    ['/:name.:ext?', '/a', { name: 'a' }],
    // Parts of segments.
    ['/post-:id', '/post-7', { id: '7' }],
    ['/post-:id', '/p%6fst-%37', { id: '%37' }],
    ['/post-:id.html', '/post-7.html', { id: '7' }],
    ['/:from-:to', '/a-b', { from: 'a', to: 'b' }],
    ['/:from-:to', '/a-b-c', { from: 'a-b', to: 'c' }],
    ['/:a--:b', '/x-y--z', { a: 'x-y', b: 'z' }],
    ['/:a--:b', '/x--y--z', { a: 'x--y', b: 'z' }],
    ['/@:user', '/@me', { user: 'me' }],
    ['/a{b}?', '/a', {}],
    ['/a{b}?', '/ab', {}],
    ['/{:lang/}?about', '/de/about', { lang: 'de' }],
    // Groups.
    ['/(.*)', '/', {}],
    ['/(.*)', '/a/b', {}],
    ['/(.*)', '/a%0Ab', {}],
    ['/:all(.*)', '/a/b', { all: 'a/b' }],
    ['/:all(.*)', '/', { all: '' }],
    ['/post/:slug(\\d{1,})', '/post/123', { slug: '123' }],
    ['/post/:slug(\\d+)', '/post/%31', { slug: '%31' }],
    ['/:lang(en|de|fr)/:rest*', '/de/a', { lang: 'de', rest: ['a'] }],
    ['/:lang(en|de)?/x', '/x', {}],
    ['/:path((?:[^/]*/)?x)', '/a/x', { path: 'a/x' }],
    ['/:y(\\d{4})-:m(\\d{2})', '/2026-11', { y: '2026', m: '11' }],
    ['/:hash([a-f0-9]+)', '/BEEF', { hash: 'BEEF' }],
    ['/:parts(\\w+)+', '/a/b', { parts: ['a', 'b'] }],
    ['/((?!api|_next/static|favicon.ico).*)', '/about', {}],
    ['/:all((?!api/|_next/static|favicon\\.ico$).*)', '/apiary', { all: 'apiary' }],
    ['/((?!api$).*)', '/api/x', {}],
    ['/((?!api|.*\\..*).*)', '/about/us', {}],
    ['/((?!a(?:b|c)).*)', '/ad', {}],
    ['/((?!api).*)', '/', {}],
    // Escapes.
    ['/a\\:b', '/a:b', {}],
    ['/wiki/Foo_\\(bar\\)', '/wiki/Foo_(bar)', {}],
    ['/c\\+\\+', '/c++', {}],
    ['/what\\?', '/what%3F', {}],
    ['/😀/:x', '/%F0%9F%98%80/%F0%9F%98%80', { x: '%F0%9F%98%80' }],
  ])('X5 %s fits %s', (source, path, params) => {
    const found = match(source, path)
    expect(found && Object.entries(found)).toEqual(Object.entries(params))
  })

  it.each([
    ['/', '/a'],
    ['/old', '/older'],
    ['/old', '/old/x'],
    ['/old/:id', '/old'],
    ['/old/:id', '/old/a/b'],
    ['/old/:rest+', '/old'],
    ['/old/:rest+', '/old/'],
    ['/a/b', '/a%2Fb'],
    ['/a%2Fb', '/a%252Fb'],
    ['/a', '/%'],
    ['/a', '/%E6'],
    ['/post-:id', '/post-'],
    ['/post-:id', '/post-7/x'],
    ['/post/:slug(\\d+)', '/post/7a'],
    ['/:lang(en|de)', '/fr'],
    ['/:file.html', '/x.htm'],
    ['/((?!api|_next/static).*)', '/api/x'],
    ['/((?!api|_next/static).*)', '/API'],
    ['/((?!api|_next/static).*)', '/%61pi'],
    ['/((?!api|_next/static).*)', '/_next/static/x'],
    ['/((?!api$).*)', '/api'],
    ['/((?!api|.*\\..*).*)', '/about/logo.png'],
    ['/((?!api|.*\\..*).*)', '/about%2epng'],
    ['/((?!a(?:b|c)).*)', '/Ac'],
    ['/a{b}?', '/abb'],
    ['/:x([^/]+)', '/a/b'],
  ])('X5 %s does not fit %s', (source, path) => {
    expect(match(source, path)).toBeUndefined()
  })

  it('X5 lists the names that a destination may use', () => {
    expect(compilePattern('/a/:id/(x|y)/:rest*').program.names).toEqual(['id', 'rest'])
  })
})

describe('refusing', () => {
  it.each([
    ['', 'must begin with "/"'],
    ['old', 'must begin with "/"'],
    ['https://h.example/', 'must begin with "/"'],
    [`/${'x'.repeat(4096)}`, 'has 4097 characters, more than 4096'],
    ['/old?x=1', 'must not contain a query'],
    ['/old#x', 'must not contain a query'],
    ['/old//x', 'has an empty segment'],
    ['/old/:', '":" without a name; write \\\\:'],
    ['/a\\', 'ends with a backslash'],
    ['/:id/:id', '"id" is given twice'],
    ['/:a:b', '":b" must have text between itself and the parameter before'],
    ['/old/*', 'has a "*" that follows no parameter'],
    ['/:a**', 'has a "*" that follows no parameter'],
    ['/x-:a*', '":a*" must have a prefix to repeat'],
    ['/x(a)+', '"(a)+" must have a prefix to repeat'],
    ['/old/{a', 'has a "{" without "}"'],
    ['/{{a}}', 'has a "{" without "}"'],
    ['/a}', 'has a "}" that follows no parameter'],
    ['/(a', 'has a "(" without ")"'],
    ['/()', 'has an empty group'],
    ['/(?!api)', 'has a group that begins with "?"'],
    ['/((a))', 'has a group in a group; write (?:…)'],
    [`/(${'x'.repeat(513)})`, 'the expression has 513 characters, more than 512'],
    // Expressions that are not supported, by name.
    ['/(a(?=b).*)', 'has "(?=", a lookahead that must match'],
    ['/((?:a(?<=b).*))', 'has "(?<=", a lookbehind'],
    ['/((?:a(?<!b).*))', 'has "(?<!", a lookbehind'],
    ['/((?:a)\\1)', 'has "\\1", a back-reference'],
    ['/((?:a)\\k<x>)', 'has "\\k", a back-reference'],
    ['/(\\bx)', 'has "\\b", a word boundary'],
    ['/((?:?<x>a))', 'with nothing to repeat'],
    ['/(a(?<x>b))', 'has the named group "x"; write :x(…)'],
    ['/(\\p)', 'has "\\p", which is not supported'],
    ['/([a)', 'without "]"'],
    ['/([b-a])', 'range of characters that is out of order'],
    ['/(a{2,1})', 'whose numbers are out of order'],
    ['/(*a)', 'has "*" with nothing to repeat'],
    ['/(a{1,9}{1,9})', 'has a quantifier after a quantifier'],
    // Expressions that are slow elsewhere.
    ['/((?:a+)+)', 'has a quantifier inside of a quantifier'],
    ['/((?:a+b){2,3})', 'has a quantifier inside of a quantifier'],
    ['/((?:a?)*)', 'repeats what may be empty'],
    ['/((?:a|ab)*)', 'repeats alternatives of which two begin alike'],
    ['/((?:\\w|\\d)+)', 'repeats alternatives of which two begin alike'],
    ['/(a{5000})', 'repeats too much'],
  ])('X5 %j is refused: %s', (source, message) => {
    expect(() => compilePattern(source)).toThrow(message)
  })
})

describe('any pattern without groups of its author', () => {
  const piece = fc.constantFrom(
    ...['', 'a', 'b', 'ab', '-', '.', 'a-b', '{-b}?', '/x:#'],
    ...['/:#', '/:#?', '/:#*', '/:#+', '{-:#}?', '{-:#}*', '{-:#}+'],
  )
  const pathPart = fc.constantFrom('/', 'a', 'b', 'ab', '-', '.', 'x', 'A', '%61', '%2F', '%2D', '%C3%A9')

  it('X5 matches as an obvious reading does, with the same values', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        fc.array(pathPart, { minLength: 1, maxLength: 7 }).map((parts) => `/${parts.join('')}`),
        (pieces, path) => {
          const source = `/a${pieces.map((text, index) => text.replace('#', `p${index}`)).join('')}`
          let pattern: ReturnType<typeof compilePattern>
          try {
            pattern = compilePattern(source)
          } catch {
            return
          }
          const found = matchPattern(pattern, path)
          expect(found && { ...found }).toEqual(naive(source, path))
        },
      ),
      { numRuns: 5000 },
    )
  })

  /** What a pattern means, written a second time: a regular expression for each token, run with backtracking. */
  function naive(source: string, path: string) {
    const raw = path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1')
    const plain = (raw.match(/%C3%A9|%..|[^%]/g) ?? []).map((unit) => [
      unit,
      unit === '/' ? unit : decodeURIComponent(unit).replace('/', '\0'),
    ])
    const names: [string, string | undefined][] = []
    let before = ''
    const body = source.replace(
      /\{-b\}\?|\{-:(p\w+)\}([?*+])|(\/?)(x?):(p\w+)([?*+]?)|[^{:]/g,
      (whole, braced, mod, slash, x, name, modifier) => {
        if (whole === '{-b}?') {
          before = ''
          return '(?:-b)?'
        }
        const key: string | undefined = braced ?? name
        if (key === undefined) {
          before += whole
          return whole.replace(/[.]/g, '\\.')
        }
        const prefix = braced ? '-' : x ? '' : slash
        const lead = braced || !x ? '' : `${slash}${x}`
        const text = prefix || before + lead
        before = ''
        const value = text === '' || text.includes('/') ? '[^/]+?' : `(?:(?!${text.replace(/[.]/g, '\\.')})[^/])+?`
        const sign: string = braced ? mod : modifier
        const isMany = sign === '*' || sign === '+'
        names.push([key, isMany ? prefix : undefined])
        const inner = isMany ? `(${value}(?:${prefix}${value})*)` : `(${value})`
        return `${lead}(?:${prefix}${inner})${sign === '?' || sign === '*' ? '?' : ''}`
      },
    )
    const found = new RegExp(`^${body}$`, 'isd').exec(plain.map(([, unit]) => unit).join(''))
    if (!found?.indices) return undefined
    const { indices } = found
    const params: PatternParams = {}
    names.forEach(([name, separator], index) => {
      const range = indices[index + 1]
      if (!range) return
      const value = plain
        .slice(range[0], range[1])
        .map(([unit]) => unit)
        .join('')
      params[name] = separator === undefined ? value : value.split(separator)
    })
    return params
  }
})
