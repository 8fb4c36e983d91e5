import { expect, test } from 'vitest'
import type { RouteParams } from '../route-params.ts'
import { paramsKey } from './page-key.ts'

test.each<[string, RouteParams, string]>([
  ['/about', {}, '[] /about'],
  ['/places/[slug]', { slug: 'a b/"c' }, '["a b/\\"c"] /places/[slug]'],
  ['/[a]/x/[b]', { b: '2', a: '1' }, '["1","2"] /[a]/x/[b]'],
  ['/files/[...path]', { path: ['a', 'b'] }, '[["a","b"]] /files/[...path]'],
  ['/docs/[[...path]]', {}, '[null] /docs/[[...path]]'],
  ['/docs/[[...path]]', { path: [] }, '[null] /docs/[[...path]]'],
  ['/docs/[[...path]]', { path: ['a'], other: 'x' }, '[["a"]] /docs/[[...path]]'],
  ['/[__proto__]', {}, '[null] /[__proto__]'],
  ['/[__proto__]', JSON.parse('{"__proto__":"a"}') as RouteParams, '["a"] /[__proto__]'],
  ['/a[b].c/[d]', { d: '1', b: '2' }, '["1"] /a[b].c/[d]'],
])('C2 the key of %s with %j is %s', (pattern, params, key) => {
  expect(paramsKey(pattern, params)).toBe(key)
})

test('C2 the key of a page depends on the values of the params and not on their order', () => {
  const keys = [
    paramsKey('/[a]/[b]', { a: '1', b: '2' }),
    paramsKey('/[a]/[b]', { b: '2', a: '1' }),
    paramsKey('/[a]/[b]', { a: '2', b: '1' }),
    paramsKey('/[a]/[b]', { a: '1","2', b: '' }),
  ]
  expect(keys[0]).toBe(keys[1])
  expect(new Set(keys).size).toBe(3)
})
