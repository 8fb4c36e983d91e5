// Which API handlers may be sources of pictures (I1): those that `images.localPatterns` names by their path. The images
// service and the gateway's listener for it must agree.

import type { LocalPattern } from './build-output.ts'
import { isApiPath, stripBasePath } from './urls.ts'

/**
 * Whether a path below basePath may be asked of an API handler as a source. SECURITY: only a pattern that begins with
 * `/api/` itself opens anything: by `/**`, or without patterns, a stranger's `url` parameter would make this site call
 * its own handlers.
 */
export function createApiSources(localPatterns: readonly LocalPattern[] | undefined, basePath: string) {
  const opened = (localPatterns ?? []).flatMap(({ pathname = '' }) => {
    const written = pathname.split(/[*?[\](){}!+@|\\]/, 1)[0]!
    const below = stripBasePath(written, basePath)
    return below?.startsWith('/api/') ? [below] : []
  })
  return (path: string): boolean => isApiPath(path) && opened.some((beginning) => path.startsWith(beginning))
}
