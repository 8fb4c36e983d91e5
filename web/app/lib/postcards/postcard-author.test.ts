import { expect, it } from 'vitest'
import { authorOf, createAuthorToken } from './postcard-author.ts'

it('A5 recognises a writer by a token that no response contains', () => {
  const token = createAuthorToken()
  expect(authorOf(token)).toBe(authorOf(token))
  expect(authorOf(token)).not.toContain(token)
  expect(authorOf(createAuthorToken())).not.toBe(authorOf(token))
})

it.each([[undefined], [''], ['short'], ['x'.repeat(33)], [`${'x'.repeat(31)}"`]])(
  'A5 takes %j for no token',
  (token) => {
    expect(authorOf(token)).toBeUndefined()
  },
)
