// draftMode() as code of a site calls it, over several requests of one browser.

import type { CachedData } from '@portico/shared/wire/bundles.ts'
import { DRAFT_COOKIE } from '@portico/shared/wire/cookies/draft-mode.ts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { cached } from './cached.ts'
import { cookies } from './cookies.ts'
import { draftMode } from './draft-mode.ts'
import { createBrowser, KEY } from './testing/browser.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 }))
afterEach(() => void vi.useRealTimers())

const isEnabled = () => draftMode().isEnabled
const enable = () => draftMode().enable()
const disable = () => draftMode().disable()

describe('draftMode()', () => {
  test('X13 is switched on and off, for this request and the next ones', async () => {
    const { request, sent, uses } = createBrowser()
    expect(await request(isEnabled)).toBe(false)
    const both = (change: () => void) => () => {
      change()
      return isEnabled()
    }
    expect(await request(both(enable))).toBe(true)
    expect(sent).toEqual([expect.stringMatching(/^__prerender_bypass=d1\.[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/)])
    expect(await request(isEnabled)).toBe(true)
    expect(await request(both(disable))).toBe(false)
    expect(sent).toEqual([expect.stringContaining('Expires=Thu, 01 Jan 1970')])
    expect(await request(isEnabled)).toBe(false)
    // No cache keeps the response, and browsers drop what they have prefetched (P4).
    expect(uses).toEqual(['changed', 'changed'])
  })

  test('X13 is for one site, and for 14 days', async () => {
    const { request, sent } = createBrowser({ origin: 'https://example.org', basePath: '/shop' })
    await request(enable)
    expect(sent).toEqual([expect.stringMatching(/; Path=\/shop; HttpOnly; Secure; SameSite=None$/)])
    expect(await request(isEnabled, { origin: 'https://other.example' })).toBe(false)
    expect(await request(isEnabled, { basePath: '' })).toBe(false)
    expect(await request(isEnabled, { keys: ['n'.repeat(40), KEY] })).toBe(true)
    vi.advanceTimersByTime(14 * 24 * 60 * 60 * 1000 - 1000)
    expect(await request(isEnabled)).toBe(true)
    vi.advanceTimersByTime(1000)
    expect(await request(isEnabled)).toBe(false)
  })

  test('X13 SECURITY: no cookie that code of the site sets or signs itself switches it on', async () => {
    const { request } = createBrowser()
    for (const options of [{}, { signed: true }]) {
      await request(() => cookies().set(DRAFT_COOKIE, 'true', options))
      expect(await request(isEnabled)).toBe(false)
    }
  })

  test('X13 is read in a page for all clients, and changed in none', async () => {
    const { request } = createBrowser()
    const page = { kind: 'static-page', name: '/posts' } as const
    await request(enable)
    expect(await request(isEnabled, page)).toBe(true)
    await expect(request(enable, page)).rejects.toThrow('draftMode().enable() was called for /posts')
  })

  test('C8 X13 cached() keeps nothing of a draft, and shows none that it has kept', async () => {
    const { request } = createBrowser()
    const reads: string[] = []
    const read = (key: string, { load }: CachedData) => {
      reads.push(key)
      return load()
    }
    const dataCache = { read }
    const inner = cached(() => isEnabled(), { key: 'inner' })
    const outer = cached(async () => [isEnabled(), await inner()], { key: 'outer' })
    expect(await request(outer, { dataCache })).toEqual([false, false])
    expect(reads).toEqual(['["outer"]', '["inner"]'])
    await request(enable)
    expect(await request(outer, { dataCache })).toEqual([true, true])
    expect(reads.length).toBe(2)
  })
})
