// Thrown values in the form in which they are sent to the page that shows them.

import { expect, test } from 'vitest'
import { thrownError } from './dev-inner.ts'

const cycle: Record<string, unknown> = {}
cycle.self = cycle

test.each([
  ['an error', new TypeError('no'), 'no'],
  [
    'causes',
    new Error('failed query', { cause: new Error('no table', { cause: 7 }) }),
    'failed query\nCaused by: no table\nCaused by: 7',
  ],
  ['a text', 'just a text', 'just a text'],
  ['nothing', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a symbol', Symbol('odd'), 'Symbol(odd)'],
  ['an object', { status: 418 }, '{"status":418}'],
  ['a message that is no text', { message: 5, stack: ['x'] }, '{"message":5,"stack":["x"]}'],
  ['an object without a prototype', Object.create(null), '{}'],
  ['a cycle', cycle, '[object Object]'],
])('V2 reports %s that was thrown', (_what, error, message) => {
  const thrown = thrownError('render', error)
  expect(thrown).toMatchObject({ source: 'render', message })
  expect(thrown.stack).toBeTypeOf('string')
})

test('V2 keeps only the members of a bundler error that are shown', () => {
  const said = { message: 'cannot be read', id: 3, loc: { file: 1, line: 2, column: 'x' }, plugin: 'p' }
  expect(thrownError('api', said, 'abc')).toEqual({
    source: 'build',
    message: 'cannot be read',
    stack: '',
    loc: { line: 2 },
    digest: 'abc',
  })
  expect(thrownError('api', { message: 'm', loc: 'somewhere' })).toMatchObject({ source: 'build', loc: {} })
})
