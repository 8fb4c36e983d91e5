// A page of the documentation as HTML, for links in the overlay: the text of this version, without a network.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../build-error.ts'
import { FRAMEWORK } from '../framework-files.ts'
import { renderMarkdown } from '../transforms/markdown.ts'

const STYLE = `
:root { color-scheme: light dark; font: 17px/1.6 system-ui, sans-serif; }
body { max-width: 46rem; margin: 2.5rem auto 6rem; padding: 0 1.25rem; }
h1, h2, h3 { line-height: 1.25; }
h2, h3 { margin-top: 2.2em; scroll-margin-top: 1rem; }
:target { text-decoration: underline; text-underline-offset: .25em; text-decoration-thickness: 2px; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 8px; }
code, kbd { font: .9em/1.5 ui-monospace, Menlo, Consolas, monospace; }
.table { overflow-x: auto; }
td, th { padding: .35rem .8rem .35rem 0; text-align: left; vertical-align: top; }
`

/**
 * The page docs/{name}.md; undefined for a name that is no page. `address` is the address of the folder of pages.
 * SECURITY: a name has letters, digits, "_" and "-" only, so that no name leads out of the folder (V3).
 */
export async function readDocsPage(name: string, address: string): Promise<string | undefined> {
  if (!/^[\w-]+$/.test(name)) return undefined
  const file = join(FRAMEWORK, 'docs', `${name}.md`)
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const { attributes, html } = renderMarkdown(text, file)
  const title = String(attributes.title)
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>${html.replaceAll('href="/docs/', `href="${address}/`)}</main></body>
</html>
`
}
