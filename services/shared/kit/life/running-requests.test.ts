// Running requests by key.

import { expect, it } from 'vitest'
import { createRunningRequests } from './running-requests.ts'

it('A1 G8 a key has a limited number of running requests, which end', () => {
  const begin = createRunningRequests(2)
  const [one, two] = [begin('a'), begin('a')]
  expect(begin('a')).toBeUndefined()
  expect(begin('b')).toBeTypeOf('function')
  one?.()
  expect(begin('a')).toBeTypeOf('function')
  two?.()
})
