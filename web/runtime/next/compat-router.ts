// `next/compat/router`: the router, or null for a component that also runs outside of a page.

import { useContext } from 'react'
import { RouterContext } from './contexts.ts'
import type { NextRouter } from './router-types.ts'

/** Returns the router of the current page; null outside of a page. */
export function useRouter(): NextRouter | null {
  return useContext(RouterContext)
}
