import { expect, test } from 'vitest'
import { typedFields } from './typed-fields.ts'

const FILE = new File(['x'], 'x.txt')

test.each<[string, [string, unknown][], object]>([
  ['a text', [['name', 'Ada']], { name: 'Ada' }],
  ['an empty text', [['name', '']], { name: '' }],
  [
    'a repeated field',
    [
      ['tag', 'a'],
      ['tag', 'b'],
    ],
    { tag: ['a', 'b'] },
  ],
  ['a file', [['image', FILE]], {}],
  [
    'a file next to a text of the same name',
    [
      ['image', FILE],
      ['image', 'a'],
    ],
    { image: ['a'] },
  ],
  [
    'passwords',
    [
      ['password', 'x'],
      ['new-Password', 'x'],
      ['passwd', 'x'],
      ['userPassword2', 'x'],
    ],
    {},
  ],
  [
    'fields of the protocol',
    [
      ['$ACTION_ID_a', ''],
      ['$ACTION_REF_1', ''],
      ['$portico_key', 'k'],
      ['$args', '[]'],
    ],
    {},
  ],
  ['a field of the author that begins with a dollar sign', [['$price', '1']], { $price: '1' }],
])('A3 the page shows again %s', (_what, entries, expected) => {
  expect(typedFields(entries)).toEqual(expected)
})

test('A3 a field with the name __proto__ sets no prototype', () => {
  const fields = typedFields([['__proto__', 'x']])
  expect([Object.getPrototypeOf(fields) === Object.prototype, Object.keys(fields)]).toEqual([true, ['__proto__']])
})
