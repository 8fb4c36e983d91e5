// The types of the modules of Next.js in a site of the Pages Router, where the package `next` is not installed (X1).

import { hasDefault, NEXT_NAMES, nextFile } from './next-modules.ts'

/** Package of `.portico/types` with the modules of Next.js that have any export. */
const NEXT_PACKAGE = 'portico-next'

/** `<style jsx global>` (X12). */
const STYLE_ATTRIBUTES = `import 'react'
declare module 'react' {
  interface StyleHTMLAttributes<T> {
    jsx?: boolean
    global?: boolean
  }
}
`
/** Modules that have others below them. */
const WITH_OTHERS = ['next', 'styled-jsx']

export const TYPES_ENTRY = `${NEXT_PACKAGE}/index.d.ts`

/** Declarations by their path in `.portico/types`. */
export function nextTypes(): Record<string, string> {
  const files: Record<string, string> = {
    [TYPES_ENTRY]: `/// <reference path="../portico/types.d.ts" />
/// <reference path="./styled-jsx.d.ts" />
declare module 'next/font/google'\n`,
    [`${NEXT_PACKAGE}/styled-jsx.d.ts`]: STYLE_ATTRIBUTES,
    'next/config.d.ts': 'export default function getConfig(): { publicRuntimeConfig: any; serverRuntimeConfig: any }\n',
  }
  for (const name of NEXT_NAMES) {
    const source = JSON.stringify(nextFile(name))
    const file = WITH_OTHERS.includes(name) ? `${name}/index.d.ts` : `${name}.d.ts`
    // An `include` of the app's own replaces the inherited one: each module loads the ambient types, too.
    const ambient = `/// <reference types="${NEXT_PACKAGE}" />`
    const lines = [
      ambient,
      `export * from ${source}`,
      ...(hasDefault(name) ? [`export { default } from ${source}`] : []),
    ]
    if (name !== 'next/font/google') files[file] ??= `${lines.join('\n')}\n`
  }
  return files
}
