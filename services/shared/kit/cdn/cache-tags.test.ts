// Cache tags against the documented limits of CDNs.

import { describe, expect, test } from 'vitest'
import { cacheTagList, cacheTagOf } from './cache-tags.ts'

describe('cache tags', () => {
  test.each([
    ['tag', 'posts', 'posts'],
    ['tag', 'post:1, a/b', 'post%3A1%2C%20a%2Fb'],
    ['tag', 'a\r\nset-cookie: x', 'a%0D%0Aset-cookie%3A%20x'],
    ['tag', "~(*)!'", '%7E%28%2A%29%21%27'],
    ['tag', 'é\ud800', '%C3%A9%EF%BF%BD'],
    ['tag', '', '~'],
    ['path', '/', 'path~%2F'],
    ['path', '/blog/a b/', 'path~%2Fblog%2Fa%2520b'],
    ['version', 'b1.4be1d7/docs', 'version~b1.4be1d7%2Fdocs'],
  ] as const)('C6 the %s %j has the tag %s', (kind, name, tag) => {
    expect(cacheTagOf(kind, name)).toBe(tag)
    // Akamai's characters: those of a token without the quotes of lists.
    expect(tag).toMatch(/^[\w.%~-]+$/)
  })

  test('C6 spellings of one path have one tag', () => {
    expect(cacheTagOf('path', '/a%20b/')).toBe(cacheTagOf('path', '/a b'))
  })

  test('C6 no tag of the site is the tag of a path or a version', () => {
    expect(cacheTagOf('tag', 'path~%2F')).not.toContain('~')
  })

  test('C6 a long name has a tag of 128 characters, which differs from that of other names', () => {
    const [one, two] = [cacheTagOf('path', `/${'a'.repeat(4000)}1`), cacheTagOf('path', `/${'a'.repeat(4000)}2`)]
    expect([one.length, two.length, one === two]).toEqual([128, 128, false])
    expect(cacheTagOf('tag', 'x'.repeat(128))).toBe('x'.repeat(128))
  })

  test('C6 a list with too many tags or bytes is none', () => {
    const tags = (count: number, length: number) =>
      Array.from({ length: count }, (_, at) => `${at}`.padStart(length, 'x'))
    expect(cacheTagList(['a', 'b'])).toBe('a,b')
    expect(cacheTagList(tags(128, 3))).toBeDefined()
    expect(cacheTagList(tags(129, 3))).toBeUndefined()
    expect(cacheTagList(tags(40, 128))).toBeUndefined()
  })
})
