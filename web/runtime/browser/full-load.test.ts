// Full loads and their guard, over a location that only takes notes.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { loadInFull } from './tab.ts'

let loaded: string[]
let failed: (Error & { retry?: () => void })[]
let stored: Map<string, string>

function showAt(address: string): void {
  const url = new URL(address, 'http://site.example')
  vi.stubGlobal('location', {
    href: url.href,
    origin: url.origin,
    pathname: url.pathname,
    search: url.search,
    hash: url.hash,
    assign: (target: URL) => void loaded.push(`assign ${target.href.replace(url.origin, '')}`),
    reload: () => void loaded.push('reload'),
  })
}

beforeEach(() => {
  loaded = []
  failed = []
  stored = new Map()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  })
  vi.stubGlobal('history', {
    state: { kept: true },
    replaceState: (state: unknown, _title: string, url: URL) =>
      void loaded.push(`replace ${url.hash} ${JSON.stringify(state)}`),
  })
  showAt('/here?q=1')
})

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Whether it left, and did not show the error screen instead. */
function leavesFor(url: string, reason: string, now: number): boolean {
  const before = failed.length
  loadInFull(url, reason, (error) => void failed.push(error), now)
  return failed.length === before
}

describe('full load', () => {
  test('N5 loads the target with its query and hash', () => {
    expect(leavesFor('/there?a=1#b', 'code', 0)).toBe(true)
    expect(loaded).toEqual(['assign /there?a=1#b'])
  })

  test('N5 the page shown is reloaded, whatever hash the target has', () => {
    leavesFor('/here?q=1', 'code', 0)
    expect(loaded).toEqual(['reload'])
    loaded = []
    leavesFor('/here?q=1#part', 'code', 0)
    expect(loaded).toEqual(['replace #part {"kept":true}', 'reload'])
  })

  test('N5 another time for the same target and reason within 10 s it does not', () => {
    expect(leavesFor('/there', 'code', 1000)).toBe(true)
    expect(leavesFor('/there', 'code', 10_999)).toBe(false)
    expect(loaded).toHaveLength(1)
    expect(failed[0]!.message).toBe('The page cannot be loaded (code).')
    expect(leavesFor('/there', 'code', 11_000)).toBe(true)
  })

  test('N5 another reason or another target is another attempt', () => {
    expect(leavesFor('/there', 'code', 0)).toBe(true)
    expect(leavesFor('/there', 'data-status', 1)).toBe(true)
    expect(leavesFor('/elsewhere', 'data-status', 2)).toBe(true)
    // Also the first one again: two targets that lead to each other are a loop.
    expect(leavesFor('/there', 'code', 3)).toBe(false)
  })

  test('E5 "Try again" on the error screen loads the target, however often', () => {
    leavesFor('/there#part', 'code', 0)
    leavesFor('/there#part', 'code', 1)
    for (let attempt = 0; attempt < 2; attempt++) failed[0]!.retry!()
    expect(loaded).toEqual(Array(3).fill('assign /there#part'))
    expect(failed).toHaveLength(1)
  })

  test('N4 an address that is not of the router is a link like any other, however often it is followed', () => {
    for (let visit = 0; visit < 3; visit++) {
      expect(leavesFor('/files/plan.pdf', 'no-route', visit)).toBe(true)
      expect(leavesFor('https://other.example/', 'redirect', visit)).toBe(true)
    }
    expect(loaded).toHaveLength(6)
  })

  test('N5 works without a guard where storage is forbidden or holds rubbish', () => {
    stored.set('portico:code /there', 'rubbish')
    expect(leavesFor('/there', 'code', 0)).toBe(true)
    vi.stubGlobal('sessionStorage', {
      getItem: () => {
        throw new Error('forbidden')
      },
      setItem: () => {
        throw new Error('forbidden')
      },
    })
    expect([leavesFor('/there', 'code', 0), leavesFor('/there', 'code', 1)]).toEqual([true, true])
  })
})
