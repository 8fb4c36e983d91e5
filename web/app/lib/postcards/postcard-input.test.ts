import { describe, expect, it } from 'vitest'
import { MESSAGE_LIMIT, NAME_LIMIT, parsePostcardInput } from './postcard-input.ts'

const good = { place: 'lake-orrel', name: 'Ada', message: 'Wish you were real.' }

describe('a postcard that is read', () => {
  it('A3 is trimmed, with one kind of line ending', () => {
    expect(parsePostcardInput({ place: ' p ', name: '  Ada \n Byron ', message: ' one\r\ntwo\rthree ' })).toEqual({
      value: { place: 'p', name: 'Ada Byron', message: 'one\ntwo\nthree' },
    })
  })

  it('A3 drops fields that it does not know', () => {
    expect(parsePostcardInput({ ...good, admin: 'yes' })).toEqual({ value: good })
  })

  it.each([
    ['an empty name', { name: ' ' }, 'name'],
    ['a missing name', { name: undefined }, 'name'],
    ['a repeated name', { name: ['Ada', 'Bob'] }, 'name'],
    ['a file for a message', { message: { size: 3 } }, 'message'],
    ['a long name', { name: 'x'.repeat(NAME_LIMIT + 1) }, 'name'],
    ['a long message', { message: 'x'.repeat(MESSAGE_LIMIT + 1) }, 'message'],
    ['no place', { place: '' }, 'place'],
  ])('A3 is refused for %s, with an issue of that field', (_what, change, field) => {
    const result = parsePostcardInput({ ...good, ...change })
    expect(result.issues?.map((issue) => issue.path)).toEqual([[field]])
  })

  it('A3 has room for the limit in characters as readers count them', () => {
    expect(parsePostcardInput({ ...good, name: '🏔'.repeat(NAME_LIMIT) }).issues).toBeUndefined()
    expect(parsePostcardInput({ ...good, message: 'x'.repeat(MESSAGE_LIMIT) }).issues).toBeUndefined()
  })

  it.each([[null], [undefined], ['text'], [[]]])('A3 never throws for %j', (value) => {
    expect(parsePostcardInput(value).issues).toHaveLength(3)
  })
})
