import { expect, test } from 'vitest'
import { isCompressibleType } from './encodings.ts'

test.each([
  ['text/html', true],
  ['text/javascript', true],
  ['text/event-stream', false],
  ['application/json', true],
  ['application/ld+json', true],
  ['application/manifest+json', true],
  ['application/problem+json', true],
  ['application/javascript', true],
  ['application/xml', true],
  ['application/rss+xml', true],
  ['application/atom+xml', true],
  ['application/wasm', true],
  ['application/x-ndjson', true],
  ['application/octet-stream', false],
  ['application/pdf', false],
  ['application/jsonp', false],
  ['image/svg+xml', true],
  ['Text/HTML; charset=utf-8', true],
  ['text/event-stream;charset=utf-8', false],
  ['image/x-icon', true],
  ['image/png', false],
  ['font/ttf', true],
  ['font/otf', true],
  ['font/woff2', false],
  ['', false],
])('G3 G4 %s is compressed: %s', (type, expected) => {
  expect(isCompressibleType(type)).toBe(expected)
})
