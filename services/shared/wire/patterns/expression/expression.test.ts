import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileProgram } from './compile-program.ts'
import { parseExpression } from './parse-expression.ts'
import { runProgram } from './run-program.ts'

const run = (source: string, text: string, ignoreCase = false) => {
  const program = compileProgram(parseExpression(source, { ignoreCase, hasNames: true }))
  const slots = runProgram(program, text)
  if (!slots) return undefined
  return Object.fromEntries(
    program.names.map((name, index) => [
      name,
      slots[index * 2]! < 0 ? undefined : text.slice(slots[index * 2], slots[index * 2 + 1]),
    ]),
  )
}

describe('an expression', () => {
  it.each([
    ['', '', {}],
    ['a|b', 'b', {}],
    ['(?<id>\\d+)', '42', { id: '42' }],
    ['(?<first>\\w)(?<rest>.*)', 'abc', { first: 'a', rest: 'bc' }],
    ['^(?<sub>[^.]+)\\.example\\.org$', 'a.example.org', { sub: 'a' }],
    ['(?<a>x*?)(?<b>x*)', 'xxx', { a: '', b: 'xxx' }],
    ['(?<a>x)?y', 'y', { a: undefined }],
    ['(?:(?<a>x)|(?<b>y)){2}', 'xy', { a: undefined, b: 'y' }],
    ['(?:(?<a>x)|(?<b>y))*z', 'xyz', { a: undefined, b: 'y' }],
    ['(?:(?<a>x)|(?<b>y)){1,2}?', 'yx', { a: 'x', b: undefined }],
    ['(?:(?<a>x)|(?<b>y)){1,2}?y?', 'xy', { a: 'x', b: undefined }],
    ['[\\w.-]+@\\S+', 'a.b-c@d', {}],
    ['[^\\]]{2,3}', 'abc', {}],
    ['\\x41\\u0042\\t\\/\\-', 'AB\t/-', {}],
    ['(yes|no)', 'no', {}],
    ['(?:ab){2}', 'abab', {}],
    ['.', '\n', {}],
  ])('X5 %j matches %j', (source, text, groups) => {
    expect(run(source, text)).toEqual(groups)
    expect({ ...new RegExp(`^(?:${source})$`, 's').exec(text)?.groups }).toEqual(groups)
  })

  it.each([
    ['a|b', 'ab'],
    ['a', 'A'],
    ['a$b', 'ab'],
    ['\\d{2,3}', '1'],
    ['[a-c]', 'd'],
    ['\\D', '1'],
  ])('X5 %j does not match %j', (source, text) => {
    expect(run(source, text)).toBeUndefined()
  })

  it('X5 matches what a regular expression of JavaScript matches, with the same groups', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      'ab',
      '[ab]',
      '[^a]',
      '\\d',
      '\\w',
      '.',
      '\\.',
      '(?!ab|c)',
      '(?!.*c)',
      '(?!a*(?:b|1)$|\\.?c(?!a))',
    )
    const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{2,}')
    const item = fc
      .tuple(atom, quantifier)
      .map(([of, times]) => (of.startsWith('(?!') ? of : times === '' ? of : `(?:${of})${times}`))
    const alternative = fc.array(item, { maxLength: 4 }).map((items) => items.join(''))
    let name = 0
    const group = fc
      .tuple(fc.array(alternative, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '?', '*', '+'))
      // JavaScript takes an optional group only if it matches something; programs take an empty one, too.
      .map(([options, times]) => ({
        options,
        times: times === '?' && new RegExp(`^(?:${options.join('|')})$`).test('') ? '' : times,
      }))
    const expression = fc.array(group, { minLength: 1, maxLength: 3 }).map((groups) => {
      name = 0
      return groups
        .map(({ options, times }) =>
          times === '' || times === '?'
            ? `(?<g${name++}>${options.join('|')})${times}`
            : `(?:${options.join('|')})${times}`,
        )
        .join('')
    })
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '1', '.', 'ab'), { maxLength: 8 })
      .map((parts) => parts.join(''))
    let compared = 0
    fc.assert(
      fc.property(expression, text, fc.boolean(), (source, value, ignoreCase) => {
        const wanted = new RegExp(`^(?:${source})$`, `s${ignoreCase ? 'i' : ''}`)
        let found: ReturnType<typeof run>
        try {
          found = run(source, value, ignoreCase)
        } catch {
          return
        }
        compared++
        const groups = wanted.exec(value)
        // In JavaScript a group that is optional and empty has no value.
        const wantedGroups = groups && Object.entries({ ...groups.groups }).map(([key, each]) => [key, each ?? ''])
        const foundGroups = found && Object.entries(found).map(([key, each]) => [key, each ?? ''])
        expect([source, value, foundGroups]).toEqual([source, value, wantedGroups ?? undefined])
      }),
      { numRuns: 5000 },
    )
    expect(compared).toBeGreaterThan(1000)
  })

  it.each([
    // A backtracking matcher would need the fifth power of the length.
    '[a-z]*[a-y]*[a-x]*[a-w]*[a-v]*-',
    // One that tries each (?!…) would need the third.
    '(?:(?!.*[b-z].*-)[a-z])*-',
  ])('X5 %s needs a number of steps that is linear in the text', (source) => {
    const program = compileProgram(parseExpression(source, { ignoreCase: false, hasNames: false }))
    let reads = 0
    const text = (length: number) => {
      const value = 'a'.repeat(length)
      // Only what the matcher uses of a string.
      return {
        length,
        startsWith: (search: string, at: number) => value.startsWith(search, at),
        charCodeAt(at: number) {
          reads++
          return value.charCodeAt(at)
        },
      } as unknown as string
    }
    const readsOf = (length: number) => {
      reads = 0
      expect(runProgram(program, text(length))).toBeUndefined()
      return reads
    }
    const few = readsOf(1000)
    expect(few).toBeLessThan(20 * 1000)
    expect(readsOf(4000) / few).toBeLessThan(5)
  })
})
