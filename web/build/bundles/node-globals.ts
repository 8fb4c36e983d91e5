// The globals of Node in browser code: `process`, `Buffer` and `global`. As Next.js, the bundler puts packages in the place
// of those that a module uses freely. Outside of compatibility mode only packages get them, because the site's own modules
// may use none (server-code.ts), and a package that asks by `typeof` whether a global is there finds none.

import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin, Rolldown } from 'vite'
import type { ModeSettings } from '../adapter/mode-settings.ts'
import { withoutQuery } from '../folder/source-paths.ts'
import { NODE_GLOBAL, NODE_GLOBALS } from '../transforms/node-globals.ts'

/** The module that has each; `global` is another name for `globalThis`. */
const PACKAGES: Readonly<Record<string, string>> = { process: 'process/browser.js', Buffer: 'buffer/' }
/** A file from which the packages of Portico are found. */
const HERE = fileURLToPath(import.meta.url)
/** Begin of the name by which a module that declares a global itself gets the one of the package. */
const PROVIDED = '__portico_provided_'
/** In the place of a global for a module that runs without it. */
const ABSENT = '\0portico:absent-global'

type Mode = Pick<ModeSettings, 'hasNodeGlobals'>

/**
 * Options of the bundler, for bundles of browsers and for packages that development bundles in advance. The bundler
 * replaces guards first and removes what is behind them, then it imports the globals that are left.
 */
export function globalsOf({ hasNodeGlobals }: Mode): NonNullable<Rolldown.InputOptions['transform']> {
  const types = Object.entries(NODE_GLOBALS).map(([name, type]) => [
    `typeof ${name}`,
    hasNodeGlobals ? `"${type}"` : '"undefined"',
  ])
  return {
    define: {
      ...Object.fromEntries(types),
      global: 'globalThis',
      'process.browser': 'true',
      // React uses it where it finds `process`: with the package, the chunk of React would be larger in every site.
      'process.emit': '(() => {})',
    },
    inject: Object.fromEntries(
      Object.keys(PACKAGES).flatMap((name) => {
        const from: [string, string] = [NODE_GLOBAL + name, name === 'process' ? 'default' : name]
        return [
          [name, from],
          [PROVIDED + name, from],
        ]
      }),
    ),
  }
}

/** Finds what globalsOf and replaceNodeGlobals import. */
export function nodeGlobals(mode: () => Mode): Plugin {
  return {
    name: 'portico:node-globals',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'client',
    resolveId: {
      filter: { id: new RegExp(`^${NODE_GLOBAL}`) },
      async handler(source, importer, options) {
        const name = source.slice(NODE_GLOBAL.length)
        if (!mode().hasNodeGlobals && importer && guards(withoutQuery(importer), name))
          return { id: ABSENT, moduleSideEffects: false }
        const found = await this.resolve(PACKAGES[name] ?? '', HERE, { ...options, skipSelf: true })
        return found && { id: found.id, moduleSideEffects: false }
      },
    },
    load: {
      filter: { id: new RegExp(`^${ABSENT}$`) },
      handler: () => 'export default undefined\nexport const Buffer = undefined',
    },
    transform: { filter: { id: /node_modules/, code: WRITES }, handler: withOwn },
  }
}

/** Whether a module asks by `typeof` for a global. */
function guards(path: string, name: string): boolean {
  return existsSync(path) && new RegExp(`\\btypeof[\\s(]+${name}\\b`).test(readFileSync(path, 'utf8'))
}

/** A statement that gives a global another value, or a declaration in the same form. */
const WRITES = /(?:^|[;{}()&|?:])\s*(?:process|Buffer)\s*=[^=>]/

/** Declares the globals that a module of a package assigns: an import cannot be assigned. */
function withOwn(code: string): { code: string; map: null } | undefined {
  const names = Object.keys(PACKAGES).filter(
    (name) =>
      new RegExp(WRITES.source.replace('process|Buffer', name)).test(code) &&
      !new RegExp(`\\b(?:var|let|const|class|function|import)\\b[^;=()]*\\b${name}\\b`).test(code),
  )
  // On one line: positions of later lines stay.
  const declared = names.map((name) => `${name} = ${PROVIDED}${name}`).join(', ')
  return names.length > 0 ? { code: `var ${declared}; ${code}`, map: null } : undefined
}
