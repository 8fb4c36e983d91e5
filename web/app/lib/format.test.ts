import { expect, it } from 'vitest'
import { formatBytes, formatMs } from './format.ts'

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KB'],
  [64_321, '64 KB'],
  [999_499, '999 KB'],
  [999_500, '1.0 MB'],
  [15_400_000, '15 MB'],
  [2_340_000_000, '2.3 GB'],
])('I10 prints %d bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

it.each([
  [0.04, '0 ms'],
  [1, '1 ms'],
  [4.26, '4.3 ms'],
  [9.96, '10 ms'],
  [38.4, '38 ms'],
  [999.6, '1 s'],
  [1234, '1.2 s'],
])('I7 prints %d milliseconds as %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text)
})
