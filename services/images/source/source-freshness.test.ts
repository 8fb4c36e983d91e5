import { expect, test } from 'vitest'
import { readLifetimeSeconds, readTags } from '../testing.ts'

test.each([
  [{}, 60],
  [{ 'cache-control': 'max-age=600' }, 600],
  [{ 'cache-control': 'max-age=600, s-maxage=1200' }, 1200],
  [{ 'cache-control': 'S-MaxAge="900"' }, 900],
  [{ 'cache-control': 'max-age=5' }, 60],
  [{ 'cache-control': 'max-age=0, must-revalidate' }, 60],
  [{ 'cache-control': 'no-cache, max-age=600' }, 60],
  [{ 'cache-control': 'no-store' }, 0],
  [{ 'cache-control': 'private, max-age=600' }, 0],
  [{ 'cache-control': 'max-age=600', age: '200' }, 400],
  [{ 'cache-control': 'max-age=99999999999' }, 31_536_000],
  [{ 'cache-control': 'max-age=-1' }, 60],
  [{ 'cache-control': 'max-age=abc' }, 60],
  [{ expires: 'Sat, 21 Nov 2026 01:00:00 GMT', date: 'Sat, 21 Nov 2026 00:00:00 GMT' }, 3600],
  [{ expires: '0', date: 'Sat, 21 Nov 2026 00:00:00 GMT' }, 60],
])('I5 stores %j for %d seconds', (headers, seconds) => {
  expect(readLifetimeSeconds(headers, 60)).toBe(seconds)
})

test('I9 reads the tags of a source', () => {
  expect(readTags('a, b c,,a')).toEqual(['a', 'b', 'c'])
  expect(readTags(undefined)).toEqual([])
  expect(readTags(Array.from({ length: 100 }, (_, index) => `t${index}`).join(' '))).toHaveLength(64)
})
