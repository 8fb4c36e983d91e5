// Modules of MDX: those of apps that wrap their config in `@next/mdx`, and a clear error where nothing compiles them (X6).

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Plugin, transformWithOxc } from 'vite'
import type { ModeSettings } from '../../../mode.ts'
import { withoutQuery } from '../../../source/source.ts'
import { refuseMdx } from '../../../transforms/transforms.ts'
import type { NextPlugin } from '../next-plugin.ts'
import { MDX_PROVIDER } from './mdx-messages.ts'

/** In the order in which `@next/mdx` looks for them. */
const COMPONENTS = ['src/mdx-components', 'mdx-components'].flatMap((name) =>
  ['tsx', 'ts', 'jsx', 'js'].map((ending) => `${name}.${ending}`),
)
const NO_COMPONENTS = '\0portico:no-mdx-components'

export const mdx: NextPlugin = {
  plugins(appDir, sources) {
    const settings = () => sources().next
    const remedyOf = () => (settings().on ? 'wrap the config in withMDX of @next/mdx' : undefined)
    return [compiledMdx(appDir, settings), refuseMdx(appDir, remedyOf)]
  },
}

/** A load hook, before that of Markdown: `@next/mdx` may compile `.md` as well. */
function compiledMdx(appDir: string, settings: () => ModeSettings): Plugin {
  return {
    name: 'portico:mdx',
    enforce: 'pre',
    async resolveId(source) {
      if (source !== MDX_PROVIDER || !settings().mdx) return undefined
      const own = COMPONENTS.map((name) => join(appDir, name)).find((path) => existsSync(path))
      return own ?? (await this.resolve('@mdx-js/react', join(appDir, 'package.json'))) ?? NO_COMPONENTS
    },
    async load(id) {
      if (id === NO_COMPONENTS) return 'export const useMDXComponents = () => ({})'
      const { mdx } = settings()
      // With a query an import is for the text or the address of the file.
      if (id !== withoutQuery(id) || !mdx?.matches(id)) return undefined
      this.addWatchFile(id)
      const code = await mdx.compile(id, await readFile(id, 'utf8'))
      return code.startsWith('/* @jsx') ? transformWithOxc(code, id, { lang: 'jsx' }) : { code, map: null }
    },
  }
}
