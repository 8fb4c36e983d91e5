import { expect, it } from 'vitest'
import { parsePostcards } from './postcard.ts'

const card = {
  id: 1,
  name: 'Ada',
  message: 'Hello',
  sentAt: '2026-11-21T09:00:00.000Z',
  picture: { src: '/api/pictures/a.jpg', width: 3, height: 2 },
  mine: true,
  removedMs: 120,
}

it('D4 reads the postcards of a response and drops other values', () => {
  expect(parsePostcards({ postcards: [card, null, { ...card, id: '2' }, { ...card, sentAt: 'soon' }, 'x'] })).toEqual([
    card,
  ])
})

it('D4 reads a postcard without an image, and one with an invalid image, as one without', () => {
  const { picture, mine, removedMs, ...plain } = card
  const bare = { ...plain, picture: null, mine: false, removedMs: null }
  expect(parsePostcards({ postcards: [plain, { ...plain, picture: { src: 1 } }, { ...plain, mine: 'yes' }] })).toEqual([
    bare,
    bare,
    bare,
  ])
})

it.each([[null], ['x'], [{}], [{ postcards: {} }]])('D4 reads none from %j', (value) => {
  expect(parsePostcards(value)).toEqual([])
})
