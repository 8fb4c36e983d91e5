// `compiler.emotion` of next.config.*: JSX of the site's own modules is that of another package. Modules of the framework and
// of packages keep that of React.

import type { Plugin } from 'vite'
import { isSiteModule } from '../../../bundle-sources/bundle-sources.ts'
import type { ModeSettings } from '../../../mode.ts'
import { withoutQuery } from '../../../source/source.ts'
import type { NextPlugin } from '../next-plugin.ts'

export const jsxSource: NextPlugin = {
  plugins: (_appDir, sources) => [siteJsx(() => sources().next)],
}

function siteJsx(settings: () => ModeSettings): Plugin {
  return {
    name: 'portico:jsx-source',
    enforce: 'pre',
    transform(code, id) {
      const source = settings().jsxImportSource
      const path = withoutQuery(id)
      return source === undefined || !isSiteModule(path) ? undefined : withJsxSource(code, source)
    },
  }
}

/** The module with the comment that names the package of its JSX, on its first line; undefined if it has its own. */
export function withJsxSource(code: string, source: string) {
  // A file without "<" contains no JSX.
  if (!code.includes('<') || /@jsx(ImportSource|Runtime)?\s/.test(code)) return undefined
  return { code: `/** @jsxImportSource ${source} */ ${code}`, map: null }
}
