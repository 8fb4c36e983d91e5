import { expect, it } from 'vitest'
import { parseLabChoice } from './lab.ts'

const parse = (query: string) => parseLabChoice(new URLSearchParams(query), ['skarnvik', 'moyun'])
const DEFAULTS = { picture: 'skarnvik', width: 1080, quality: 75 }

it.each([
  ['', {}],
  ['picture=moyun&w=640&q=50', { picture: 'moyun', width: 640, quality: 50 }],
  ['picture=nope&w=641&q=76', {}],
  ['w=640&w=750', { width: 640 }],
  ['w=6e2&q=', {}],
])('I1 the choice of %j is one that the images service takes', (query, expected) => {
  expect(parse(query)).toEqual({ ...DEFAULTS, ...expected })
})
