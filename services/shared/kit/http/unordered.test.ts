import { expect, test } from 'vitest'
import { removeFrom } from './unordered.ts'

test.each([
  ['the first', 'a', ['c', 'b']],
  ['one in the middle', 'b', ['a', 'c']],
  ['the last', 'c', ['a', 'b']],
  ['one that is not there', 'd', ['a', 'b', 'c']],
])('removes %s and keeps the others', (_which, item, left) => {
  const list = ['a', 'b', 'c']
  removeFrom(list, item)
  expect(list).toEqual(left)
})
