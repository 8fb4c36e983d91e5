import { expect, it } from 'vitest'
import { parseInvalidation } from './invalidation.ts'

const MESSAGE = { generation: 1, epoch: 'e', paths: ['/a'], tags: [], everything: false }

it('W10 a message is read with its own members only', () => {
  expect(parseInvalidation({ ...MESSAGE, more: 1 })).toEqual(MESSAGE)
})

it.each([
  ['the body', 'text'],
  ['the body', null],
  ['paths', { ...MESSAGE, paths: [1] }],
  ['tags', { ...MESSAGE, tags: undefined }],
  ['generation', { ...MESSAGE, generation: '1' }],
  ['generation', { ...MESSAGE, generation: 1.5 }],
  ['epoch', { ...MESSAGE, epoch: 1 }],
  ['everything', { ...MESSAGE, everything: 1 }],
])('W10 the broken rule of %s is named', (name, value) => {
  expect(parseInvalidation(value)).toContain(name)
})
