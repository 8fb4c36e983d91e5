// What Cache-Control says, written and read.

import { expect, test } from 'vitest'
import { type Caching, formatCacheControl, formatCdnCacheControl, forOneClient, isForOneClient } from './caching.ts'

test.each<[Caching, browser: string, cdn: string]>([
  [
    { audience: 'everyone', freshSeconds: 0 },
    'public, max-age=0, must-revalidate',
    'public, max-age=0, stale-while-revalidate=0, stale-if-error=0',
  ],
  [
    { audience: 'everyone', freshSeconds: 60, staleSeconds: 9, isImmutable: true },
    'public, max-age=60, immutable',
    'public, max-age=60, stale-while-revalidate=9, stale-if-error=9',
  ],
  [{ audience: 'everyone-let-pass', freshSeconds: 5 }, 'private, max-age=5, must-revalidate', 'no-store'],
  [{ audience: 'this-client', freshSeconds: 5 }, 'private, no-store', 'no-store'],
])('D2 C6 X15 %j', (caching, browser, cdn) => {
  expect([formatCacheControl(caching), formatCdnCacheControl(caching)]).toEqual([browser, cdn])
})

test.each([
  ['public, max-age=60', false, 'private, max-age=60'],
  ['max-age=60 , S-MaxAge = 5', false, 'private, max-age=60'],
  ['max-age=1, stale-while-revalidate=5, proxy-revalidate', false, 'private, max-age=1'],
  ['public', false, 'private, no-store'],
  ['', false, 'private, no-store'],
  ['Private, max-age=60', true, 'Private, max-age=60'],
  ['private="set-cookie"', true, 'private="set-cookie"'],
  ['public, no-store', true, 'public, no-store'],
  ['x-private, max-age=1', false, 'private, x-private, max-age=1'],
])('C6 X15 %s: for one client %s, and then %s', (text, isForOne, own) => {
  expect([isForOneClient(text), forOneClient(text)]).toEqual([isForOne, own])
})
