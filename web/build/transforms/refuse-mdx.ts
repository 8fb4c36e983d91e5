// A clear error where nothing compiles MDX.

import { readFile } from 'node:fs/promises'
import type { Plugin } from 'vite'
import { authorError } from '../build-error.ts'
import { appRelative } from '../folder/source-paths.ts'

export const MDX_PACKAGES = 'run npm install @mdx-js/rollup @mdx-js/react'
const OWN_REMEDY = `${MDX_PACKAGES}, and add mdx() to plugins of portico.config.ts`

/** After the plugins of the site. Without a remedy a file is not refused. */
export function refuseMdx(appDir: string, remedyOf: () => string | undefined = () => OWN_REMEDY): Plugin {
  return {
    name: 'portico:mdx-without-compiler',
    enforce: 'post',
    transform: {
      filter: { id: /\.mdx$/ },
      async handler(code, id) {
        const remedy = remedyOf()
        if (remedy === undefined || code !== (await readFile(id, 'utf8'))) return
        throw authorError({ file: appRelative(appDir, id), rule: `nothing compiles MDX; ${remedy}`, docs: 'mdx' })
      },
    },
  }
}
