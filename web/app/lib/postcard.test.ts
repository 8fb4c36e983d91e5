import { expect, it } from 'vitest'
import { parsePostcards } from './postcard.ts'

const card = { id: 1, name: 'Ada', message: 'Hello', sentAt: '2026-11-21T09:00:00.000Z' }

it('D4 reads the postcards of an answer and drops what is none', () => {
  expect(parsePostcards({ postcards: [card, null, { ...card, id: '2' }, { ...card, sentAt: 'soon' }, 'x'] })).toEqual([
    card,
  ])
})

it.each([[null], ['x'], [{}], [{ postcards: {} }]])('D4 reads none from %j', (value) => {
  expect(parsePostcards(value)).toEqual([])
})
