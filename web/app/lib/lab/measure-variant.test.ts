import { expect, it } from 'vitest'
import { parseServerTiming } from '../testing.ts'

it.each([
  ['', []],
  [
    'fetch;dur=3, encode;dur=41.2',
    [
      { name: 'fetch', ms: 3 },
      { name: 'encode', ms: 41.2 },
    ],
  ],
  ['cache;desc="HIT";dur=0.5,  total', [{ name: 'cache', ms: 0.5 }]],
  [';dur=1, x;dur=fast', []],
])('G7 reads the durations of %j', (header, expected) => {
  expect(parseServerTiming(header)).toEqual(expected)
})
