import { describe, expect, it } from 'vitest'
import {
  compileConditions,
  createFacts,
  type HasCondition,
  type HasFacts,
  meets,
  type StoredCondition,
  withSearch,
} from './conditions.ts'
import type { PatternParams } from './path-patterns.ts'
import { createRuleIndex, namesOf } from './rule-index.ts'

const facts: HasFacts = {
  header: (name) => ({ 'x-a': '1', authorization: 'Bearer a/b?c', origin: 'https://b.example' })[name.toLowerCase()],
  cookie: (name) => ({ theme: 'dark' })[name],
  query: (name) => ({ page: '' })[name],
  host: () => 'A.Example',
}

function compare(rule: { has?: StoredCondition[]; missing?: StoredCondition[] }) {
  const conditions = compileConditions(rule)
  const groups: PatternParams = {}
  const wholes: PatternParams = {}
  const isMet = !conditions || meets(conditions, facts, groups, wholes)
  return { isMet, groups, wholes }
}

describe('conditions', () => {
  it.each<[HasCondition[] | undefined, boolean]>([
    [undefined, true],
    [[], true],
    [[{ type: 'header', key: 'x-a' }], true],
    [[{ type: 'header', key: 'X-A', value: '1' }], true],
    [[{ type: 'header', key: 'x-a', value: '' }], false],
    [[{ type: 'header', key: 'x-b' }], false],
    [[{ type: 'cookie', key: 'theme', value: 'dark' }], true],
    [[{ type: 'cookie', key: 'theme', value: 'Dark' }], false],
    [[{ type: 'cookie', key: 'theme', value: 'dar' }], false],
    [[{ type: 'cookie', key: 'theme', value: '.*' }], true],
    [[{ type: 'cookie', key: 'theme', value: 'light|da' }], false],
    [[{ type: 'cookie', key: 'theme', value: '^(light|dark)$' }], true],
    [[{ type: 'query', key: 'page' }], true],
    [[{ type: 'query', key: 'page', value: '2' }], false],
    [[{ type: 'host', value: 'a.example' }], true],
    [[{ type: 'host', value: 'A\\.Example' }], true],
    [[{ type: 'host', value: 'b.example' }], false],
    [
      [
        { type: 'host', value: 'a.example' },
        { type: 'header', key: 'x-b' },
      ],
      false,
    ],
  ])('X5 has %j: %s', (has, wanted) => {
    expect(compare(has ? { has } : {}).isMet).toBe(wanted)
    // One condition alone: missing is the opposite.
    if (has?.length === 1) expect(compare({ missing: has }).isMet).toBe(!wanted)
  })

  it('X5 no condition of `missing` may hold', () => {
    const missing: HasCondition[] = [
      { type: 'header', key: 'x-b' },
      { type: 'cookie', key: 'theme' },
    ]
    expect(compare({ missing }).isMet).toBe(false)
    expect(compare({ missing: missing.slice(0, 1) }).isMet).toBe(true)
    expect(compare({ has: missing.slice(1), missing: missing.slice(0, 1) }).isMet).toBe(true)
  })

  it('X5 bind named groups, and whole values by the letters of their key', () => {
    const has: HasCondition[] = [
      { type: 'header', key: 'authorization', value: 'Bearer (?<token>.+)' },
      { type: 'header', key: 'x-a' },
      { type: 'cookie', key: 'theme', value: 'dark' },
      { type: 'host', value: '(?<sub>[^.]+)\\.example' },
    ]
    expect(compare({ has })).toEqual({ isMet: true, groups: { token: 'a/b%3Fc', sub: 'a' }, wholes: { xa: '1' } })
    expect(compare({ has: [{ type: 'host', value: 'a.*' }] }).wholes).toEqual({ host: 'a.example' })
    expect(compare({ has: [{ type: 'header', key: 'origin', value: '(?<origin>https://[a-z.]+)' }] }).groups).toEqual({
      origin: 'https://b.example',
    })
    expect(namesOf({ source: '/:id', has })).toEqual(new Set(['id', 'token', 'xa', 'sub']))
  })

  it.each<StoredCondition>([
    { type: 'query', key: 'page' },
    { type: 'query', key: 'page', value: '.*' },
  ])('X5 %j holds for an empty value, with notEmpty as in Next.js it does not', (condition) => {
    const strict: StoredCondition = { ...condition, notEmpty: true }
    expect([compare({ has: [condition] }).isMet, compare({ has: [strict] }).isMet]).toEqual([true, false])
    expect([compare({ missing: [condition] }).isMet, compare({ missing: [strict] }).isMet]).toEqual([false, true])
    expect(compare({ has: [{ type: 'header', key: 'x-a', notEmpty: true }] }).wholes).toEqual({ xa: '1' })
  })

  it('X5 with an expression that is refused are refused', () => {
    expect(() => compileConditions({ has: [{ type: 'host', value: '(a+)+' }] })).toThrow('a quantifier inside of')
    expect(() => compileConditions({ missing: [{ type: 'cookie', key: 'a', value: '(?=x)' }] })).toThrow('"(?="')
  })
})

it.each(['A.example', 'a.example:8080', 'a.example.', 'a.example.:443'])('X5 the host %s is a.example', (host) => {
  const { host: read } = createFacts({ header: () => undefined, cookie: () => undefined, host: () => host, search: '' })
  expect(read()).toBe('a.example')
})

it('X5 a condition for a repeated query parameter reads its last value, as in Next.js', () => {
  const sources = { header: () => undefined, cookie: () => undefined, host: () => '', search: '?a=1&b=&a=2' }
  const { query } = createFacts(sources)
  expect([query('a'), query('b'), query('c')]).toEqual(['2', '', undefined])
  expect(withSearch(createFacts(sources), '?a=3&a=4').query('a')).toBe('4')
})

describe('the index of rules', () => {
  const rules = ['/:any*', '/a', '/a/:id', '/b{-:x}?', '/:lang(de|en)/a', '/a/b', '/A/:y', '/a/:x?/:y?b'].map(
    (source) => ({ source }),
  )
  const index = createRuleIndex([...rules, { source: '/base/a', basePath: false as const }])
  const found = (path: string | undefined, from = 0) =>
    [...index.matches(path, `/base${path ?? '/a'}`, facts, from)].map(({ order }) => order)

  it.each<[string | undefined, number[]]>([
    ['/', [0]],
    ['/a', [0, 1, 8]],
    ['/A/', [0, 1, 8]],
    ['/ab', [0, 7]],
    ['/a/b', [0, 2, 5, 6]],
    ['/b-1', [0, 3]],
    ['/de/a', [0, 4]],
    ['/x/y', [0]],
    [undefined, [8]],
  ])('R7 finds the rules of %s in their order', (path, orders) => {
    const whole = path === undefined ? '/base/a' : `/base${path}`
    expect([...index.matches(path, whole, facts)].map(({ order }) => order)).toEqual(orders)
    expect(found(path, 3)).toEqual(orders.filter((order) => order >= 3))
  })
})
