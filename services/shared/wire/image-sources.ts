// Which API handlers may be sources of images (I1): those whose path `images.localPatterns` names. The images service
// and the gateway's listener for the images service must apply the same rule.

import type { LocalPattern } from './build-output.ts'
import { isApiPath, stripBasePath } from './routing/urls.ts'

/**
 * Whether a path below basePath may be requested from an API handler as a source. SECURITY: only a pattern that begins
 * with `/api/` allows a handler: with `/**`, or without patterns, an attacker's `url` parameter would make this site
 * call its own handlers.
 */
export function createApiSources(localPatterns: readonly LocalPattern[] | undefined, basePath: string) {
  const allowed = (localPatterns ?? []).flatMap(({ pathname = '' }) => {
    const literal = pathname.split(/[*?[\](){}!+@|\\]/, 1)[0]!
    const below = stripBasePath(literal, basePath)
    return below?.startsWith('/api/') ? [below] : []
  })
  return (path: string): boolean => isApiPath(path) && allowed.some((beginning) => path.startsWith(beginning))
}
