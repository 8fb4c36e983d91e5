// The router of `next/router`: where it does not lead. The functions of `next/navigation`.

import { controlFlowOf } from '@portico/shared/wire/errors/control-flow.ts'
import { expect, test, vi } from 'vitest'
import type { Router, SiteRuntime } from '../react/router-context.ts'
import { permanentRedirect, ReadonlyURLSearchParams, redirect, unstable_rethrow } from './navigation.ts'
import { createNextRouter } from './next-router.ts'

const push = vi.fn(async () => true)
const place = { pathname: '/', asPath: '/', push, replace: push } as unknown as Router
const router = createNextRouter(place, { basePath: '', trailingSlash: false } as SiteRuntime)

test.each([
  'javascript:alert(1)',
  '\u0001 JavaScript:alert(1)',
  'java\nscript:alert(1)',
  { protocol: 'javascript:', pathname: 'alert(1)' },
])('X2 a URL that is code is refused and does not run: %j', async (url) => {
  for (const name of ['push', 'replace'] as const) {
    await expect(router[name](url)).rejects.toThrow('javascript:')
    await expect(router[name]('/a', url)).rejects.toThrow('javascript:')
  }
  expect(push).not.toHaveBeenCalled()
})

test('X1 redirects of next/navigation have their status, and unstable_rethrow passes them on', () => {
  const thrownBy = (run: () => void): unknown => {
    try {
      return run()
    } catch (error) {
      return error
    }
  }
  const location = '/a'
  expect(controlFlowOf(thrownBy(() => redirect(location)))).toMatchObject({ location, status: 307 })
  const permanent = thrownBy(() => permanentRedirect(location))
  expect(controlFlowOf(permanent)).toMatchObject({ location, status: 308 })
  expect(thrownBy(() => unstable_rethrow(permanent))).toBe(permanent)
  expect(thrownBy(() => unstable_rethrow(new Error('other')))).toBeUndefined()
})

test('X1 the search parameters of next/navigation cannot be changed', () => {
  const params = new ReadonlyURLSearchParams('a=1')
  for (const name of ['append', 'set', 'delete', 'sort'] as const) expect(() => params[name]()).toThrow('cannot be')
  expect(params.toString()).toBe('a=1')
})
