import { expect, it } from 'vitest'
import { parseWhyQuestion } from './explanation.ts'

const QUESTION = { method: 'GET', url: '/a?b=1', headers: { host: 'a' }, client: '127.0.0.1', run: false }

it('O9 takes a question', () => {
  expect(parseWhyQuestion(QUESTION)).toEqual(QUESTION)
})

it.each<[string, unknown]>([
  ['the body must be a JSON object', []],
  ['method must be a method of HTTP, as in GET', { ...QUESTION, method: 'A B' }],
  ['url must be a path with its query that begins with "/" and has no "#" and no space', { ...QUESTION, url: 'a' }],
  ['url must be a path with its query that begins with "/" and has no "#" and no space', { ...QUESTION, url: '/a#b' }],
  ['headers must be an object of at most 100 texts', { ...QUESTION, headers: [] }],
  ['headers: "Host" is no name in lower case', { ...QUESTION, headers: { Host: 'a' } }],
  ['headers: the value of host must be one line', { ...QUESTION, headers: { host: 'a\nb' } }],
  ['client must be an address, as in 127.0.0.1', { ...QUESTION, client: '' }],
  ['run must be true or false', { ...QUESTION, run: 'yes' }],
])('O9 refuses: %s', (rule, body) => {
  expect(parseWhyQuestion(body)).toEqual({ rule })
})
