// JSX in `.js` files of the app folder (R1, F3): the bundler parses JSX in `.jsx` and `.tsx` only.

import { type Plugin, transformWithOxc } from 'vite'
import type { ModeSettings } from '../adapter/mode-settings.ts'
import { appRelative, withoutQuery } from '../folder/source-paths.ts'

/** Must come after the plugins that parse an author's source. */
export function jsxInJs(appDir: string, settings: () => ModeSettings): Plugin {
  return {
    name: 'portico:jsx-in-js',
    enforce: 'pre',
    transform(code, id) {
      const path = withoutQuery(id)
      const file = appRelative(appDir, path)
      const { styledComponents } = settings()
      // A file without "<" contains no JSX.
      const isAffected = code.includes('<') || (styledComponents !== undefined && code.includes('styled-components'))
      // Packages are published as plain JavaScript.
      if (!path.endsWith('.js') || file.startsWith('..') || file.includes('node_modules/') || !isAffected) return
      const development = this.environment.mode === 'dev'
      return transformWithOxc(code, path, {
        lang: 'jsx',
        jsx: { runtime: 'automatic', development },
        ...(styledComponents && { plugins: { styledComponents } }),
      })
    },
  }
}
