// JSON modules of the site that cannot be read: Vite's own error names neither file nor line.

import type { Plugin } from 'vite'
import { authorError } from '../build-error.ts'
import { appRelative } from '../folder/source-paths.ts'

export function jsonModules(appDir: string): Plugin {
  return {
    name: 'portico:json-modules',
    enforce: 'pre',
    transform: {
      // With `?raw` or `?url` a file is no JSON.
      filter: { id: /\.json$/ },
      handler(code, id) {
        const fault = jsonFault(code.replace(/^\uFEFF/, ''))
        if (!fault) return
        const { offset, rule } = fault
        throw authorError({ file: appRelative(appDir, id), at: { code, offset }, rule: `is not JSON: ${rule}` })
      },
    },
  }
}

function jsonFault(code: string): { offset: number; rule: string } | undefined {
  try {
    JSON.parse(code)
    return undefined
  } catch (error) {
    const { message } = error as SyntaxError
    // V8: `Expected … in JSON at position 10 (line 1 column 11)`, or `Unexpected end of JSON input`.
    const [, rule, position] = /^(.*?)(?: in JSON)? at position (\d+)/s.exec(message) ?? []
    return { offset: Number(position ?? code.trimEnd().length), rule: rule ?? message.split(/, "|, \.{3}"/)[0]! }
  }
}
