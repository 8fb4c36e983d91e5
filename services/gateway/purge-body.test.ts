import { expect, it } from 'vitest'
import { parsePurgeBody } from './purge-body.ts'
import { MOST_NAMES } from './testing.ts'

it.each([
  [{ paths: ['/'] }, { paths: ['/'], tags: [], everything: false }],
  [
    { paths: ['/a b', '/%2F/é'], tags: ['t'] },
    { paths: ['/a b', '/%2F/é'], tags: ['t'], everything: false },
  ],
  [{ everything: true }, { paths: [], tags: [], everything: true }],
])('C6 takes %j', (body, change) => {
  expect(parsePurgeBody(body)).toEqual(change)
})

const pathRule = 'must begin with one "/" and have no "?" or "#" (write %3F, %23)'
it.each([
  [undefined, 'the body must be a JSON object'],
  [['/a'], 'the body must be a JSON object'],
  [{}, 'the body names nothing; it must have paths, tags or everything'],
  [{ paths: [], everything: false }, 'the body names nothing; it must have paths, tags or everything'],
  [{ path: '/a' }, '"path" is not a member; members: paths, tags, everything'],
  [{ paths: '/a' }, 'paths="/a" must be a list of texts'],
  [{ tags: null }, 'tags=null must be a list of texts'],
  [{ everything: 1 }, 'everything=1 must be true or false'],
  [{ paths: ['/a', 7] }, 'paths[1]=7 must be a text of 1 to 2048 characters'],
  [{ tags: ['a', ''] }, 'tags[1]="" must be a text of 1 to 2048 characters'],
  [{ tags: ['x'.repeat(2049)] }, `tags[0]="${'x'.repeat(79)}… must be a text of 1 to 2048 characters`],
  [{ paths: ['a'] }, `paths[0]="a" ${pathRule}`],
  [{ paths: ['//host/a'] }, `paths[0]="//host/a" ${pathRule}`],
  [{ paths: ['/a?b'] }, `paths[0]="/a?b" ${pathRule}`],
  [{ paths: ['/a#b'] }, `paths[0]="/a#b" ${pathRule}`],
  [
    { tags: Array.from({ length: MOST_NAMES + 1 }, () => 't') },
    `${MOST_NAMES + 1} names are too many; a purge has at most ${MOST_NAMES}`,
  ],
])('C6 refuses %j by field, value and rule', (body, rule) => {
  expect(parsePurgeBody(body)).toEqual({ rule })
})
