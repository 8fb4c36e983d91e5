import { describe, expect, test } from 'vitest'
import { matchingHeaders, otherHeaders } from '../testing/if-none-match.ts'
import { entityTag, fitsIfRange, formTag, notModifiedTag, plainTags } from './conditional.ts'

describe('entity tags', () => {
  test('G3 D2 I5 are strong and depend on the content alone', () => {
    const [one, same, other] = ['a', 'a', 'b'].map((text) => entityTag(Buffer.from(text)))
    expect([one, one === other]).toEqual([same, false])
    expect(one).toMatch(/^"[\w-]{27}"$/)
  })

  test.each([
    ['"abc"', 'weak', 'W/"abc~br"'],
    ['"abc"', 'strong', '"abc~br"'],
    ['W/"abc"', 'weak', 'W/"abc"'],
  ] as const)('G4 the compressed form of %s, compared as %s, has the tag %s', (etag, strength, expected) => {
    expect(formTag(etag, 'br', strength)).toBe(expected)
  })

  test.each([
    ['"x", W/"abc~br", W/"d~gzip"', '"x", "abc", "d"'],
    ['"abc~br"', '"abc~br"'],
    ['W/"abc~deflate"', 'W/"abc~deflate"'],
    ['*', '*'],
  ])('G4 the upstream receives %s as %s', (list, expected) => {
    expect(plainTags(list)).toBe(expected)
  })
})

describe('If-None-Match', () => {
  test.each([
    ...matchingHeaders('"abc"').map((header) => [header, '"abc"', '"abc"'] as [string, string, string]),
    ...otherHeaders('"abc"').map((header) => [header, '"abc"', undefined] as [string, string, undefined]),
    ['', '"abc"', undefined],
    ['"a,b"', '"a,b"', '"a,b"'],
    ['"x,"abc"', '"abc"', undefined],
    ['"x", W/"abc~br"', '"abc"', 'W/"abc~br"'],
    ['W/"abc~br", "abc"', '"abc"', 'W/"abc~br"'],
    ['W/"abc~br"', '"abc~br"', '"abc~br"'],
    ['"abc~br"', '"abc"', undefined],
    ['W/"weak"', 'W/"weak"', 'W/"weak"'],
    ['"weak"', 'W/"weak"', 'W/"weak"'],
  ])('D2 G3 G4 I5 %s compared with %s is %s', (header, etag, expected) => {
    expect(notModifiedTag(header, etag)).toBe(expected)
  })
})

describe('If-Range', () => {
  test.each([
    [undefined, '"abc"', true],
    ['"abc"', '"abc"', true],
    ['"other"', '"abc"', false],
    ['W/"abc"', '"abc"', false],
    ['W/"abc"', 'W/"abc"', false],
    ['Sat, 01 Jan 2000 00:00:00 GMT', '"abc"', false],
  ])('G3 %s compared with %s is %s', (header, etag, expected) => {
    expect(fitsIfRange(header, etag)).toBe(expected)
  })
})
