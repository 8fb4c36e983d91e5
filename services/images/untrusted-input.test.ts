// Parsers of untrusted input return a result for any input and never throw.

import { isPublicAddress } from '@portico/shared/kit/testing.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeVariant } from './cache/variant-store.ts'
import { createParamRules } from './request/request.ts'
import { sniffType } from './sniff/sniff.ts'
import { imageSettings } from './testing/image-settings.ts'
import { negotiateFormat, parseImageRequest, readLifetimeSeconds } from './testing.ts'

const settings = imageSettings({ remotePatterns: [{ hostname: '**.example.org' }] })
const rules = createParamRules(settings, '/base')
const pieces = [
  '/',
  '//',
  '\\',
  '..',
  '.',
  '%2e',
  '%2f',
  '%00',
  '%',
  '/base',
  '/base/a',
  '_portico',
  'image',
  'static',
  'api',
  '?',
  '#',
  '@',
  ':',
  'http://',
  'https://a.example.org',
  '127.0.0.1',
  '\t',
  '\n',
  ' ',
  'ü',
  '\u{1f600}',
]
const spellings = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 })))
  .map((parts) => parts.join(''))

test('I1 every source is refused, or is a site path below basePath or an allowed URL in one spelling', () => {
  fc.assert(
    fc.property(spellings, (url) => {
      const result = parseImageRequest(`?url=${encodeURIComponent(url.toWellFormed())}&w=64`, rules)
      if (result.kind !== 'image') return result.kind === 'refused'
      const { source } = result
      if (source.kind === 'local') {
        expect(source.url).toMatch(/^\/base(\/|$|\?)[\x21-\x7e]*$/)
        expect(new URL(source.url, 'http://site.invalid').host).toBe('site.invalid')
        expect(decodeURIComponent(new URL(source.url, 'http://site.invalid').pathname)).not.toMatch(
          /^\/base\/(api(\/|$)|_portico\/(?!static\/))|\/\.{1,2}(\/|$)|\\|\/\//,
        )
      } else expect(new URL(source.url).hostname).toMatch(/\.example\.org$/)
      const again = parseImageRequest(`?url=${encodeURIComponent(source.url)}&w=64`, rules)
      expect(again).toEqual(result)
      return true
    }),
    { numRuns: 3000 },
  )
})

test('I1 any query has a result', () => {
  fc.assert(
    fc.property(fc.string(), (search) => parseImageRequest(`?${search}`, rules).kind !== undefined),
    { numRuns: 1000 },
  )
})

test('I2 any Accept header is one of three formats', () => {
  fc.assert(
    fc.property(fc.string(), (accept) => ['avif', 'webp', 'own'].includes(negotiateFormat(accept, settings.formats))),
  )
})

test('I3 any bytes after any magic number are read without harm', () => {
  const magics = [
    '',
    'ffd8ff',
    '89504e470d0a1a0a',
    '474946383961',
    '524946460000000057454250',
    '0000001c66747970617669660000',
    '3c737667',
  ].map((hex) => Buffer.from(hex, 'hex'))
  fc.assert(
    fc.property(fc.constantFrom(...magics), fc.uint8Array({ maxLength: 300 }), (magic, rest) => {
      const sniffed = sniffType(Buffer.concat([magic, rest]))
      expect(sniffed === undefined || sniffed.frames >= 1).toBe(true)
    }),
    { numRuns: 3000 },
  )
})

test('I4 every IPv4 address in any IPv6 wrapping is refused', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      for (const wrapped of [`::ffff:${address}`, `::${address}`, `64:ff9b::${address}`, `::ffff:0:${address}`])
        expect(isPublicAddress(wrapped)).toBe(false)
    }),
  )
})

test('I5 any cache header gives a lifetime between nothing and a year', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (cacheControl, age, expires) => {
      const lifetimeSeconds = readLifetimeSeconds({ 'cache-control': cacheControl, age, expires, date: expires }, 60)
      expect(lifetimeSeconds === 0 || (lifetimeSeconds >= 60 && lifetimeSeconds <= 31_536_000)).toBe(true)
    }),
  )
})

test('O6 any bytes from the store are a variant or a miss', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => decodeVariant(Buffer.from(bytes), 'key') === undefined),
  )
})
