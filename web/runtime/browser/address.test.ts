import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { canFollow } from './tab.ts'

describe('what a client transition may lead to', () => {
  beforeEach(() => void vi.stubGlobal('location', { origin: 'http://site.example' }))
  afterEach(() => void vi.unstubAllGlobals())
  const follows = (url: string) => canFollow(new URL(url, 'http://site.example/places/a'), '')

  test('N4 pages of the site, however they are written', () => {
    for (const url of ['/b', 'b', '?q=1', 'http://site.example/b', '/./b', '/b//c'])
      expect(follows(url), url).toBe(true)
  })

  test('N4 no other site, and no path that reads as one where it is resolved again', () => {
    for (const url of [
      '//evil.example',
      '/.//evil.example',
      '/b/..//evil.example',
      '/\\evil.example',
      'http:///evil.example',
    ])
      expect(follows(url), url).toBe(false)
  })
})
