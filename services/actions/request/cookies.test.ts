// The cookies of the browser after an action (A6).

import { expect, it } from 'vitest'
import { mergeCookies } from './request-facts.ts'

it.each<[string, Record<string, string>, string[], string | undefined]>([
  ['nothing', {}, [], undefined],
  ['no change', { a: '1', b: 'x y' }, [], 'a=1; b=x%20y'],
  ['a new one', { a: '1' }, ['b=2; Path=/; HttpOnly'], 'a=1; b=2'],
  ['a changed one', { a: '1' }, ['a=2'], 'a=2'],
  ['two changes of one', {}, ['a=1', 'a=2'], 'a=2'],
  ['one deleted by Max-Age', { a: '1', b: '2' }, ['a=; Max-Age=0'], 'b=2'],
  ['one deleted by Expires', { a: '1' }, ['a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], undefined],
  ['Max-Age before Expires', { a: '1' }, ['a=3; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60'], 'a=3'],
  ['an expiry to come', {}, ['a=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT'], 'a=1'],
  ['one made and deleted', {}, ['a=1', 'a=; Max-Age=0'], undefined],
])('A6 merges %s', (_name, cookies, setCookies, expected) => {
  expect(mergeCookies(cookies, setCookies, Date.parse('2026-01-01'))).toBe(expected)
})
