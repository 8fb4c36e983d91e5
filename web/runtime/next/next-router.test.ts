// The router of `next/router`: where it does not lead.

import { expect, test, vi } from 'vitest'
import type { Router } from '../react/contexts/router-context.ts'
import type { SiteRuntime } from '../react/contexts/runtime-context.ts'
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
