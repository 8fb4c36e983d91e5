// Resolves the modules of Next.js that a next.config.* and its wrappers import, and the imports that Next.js itself would
// resolve in a TypeScript config. For load-config-file.ts, whose process runs nothing else.

import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { runtimeModule } from '../../framework-files.ts'

const CONSTANTS = pathToFileURL(runtimeModule('next/constants.ts')).href
const CONSTANT_MODULES = /^next\/(dist\/shared\/lib\/)?constants(\.js)?$/
const MDX = new URL(`./next-mdx${extname(import.meta.filename)}`, import.meta.url).href
const STUB = 'portico-next:'
const WEBPACK = 'portico-webpack:'
/** Next.js has a webpack for wrappers that do not install it. Portico calls no function of a config that would use it. */
const WEBPACK_STUB =
  'const stub = module.exports = new Proxy(function () {}, { get: (target, name) => (name in target ? target[name] : stub) })'
/** What an import without an ending may mean. */
const ENDINGS = ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js']

/** Calls `onFile` with the path of each file of the site that the config loads. */
export function registerConfigHooks(onFile: (path: string) => void): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (CONSTANT_MODULES.test(specifier)) return { url: CONSTANTS, shortCircuit: true }
      if (specifier === '@next/mdx') return { url: MDX, shortCircuit: true }
      // Configs take types from the package, which may not be installed, and must not load all of Next.js.
      if (specifier === 'next')
        return { url: `${STUB}${namesOf(context.parentURL).join(',')}`, format: 'module', shortCircuit: true }
      const isJson = specifier.endsWith('.json') && context.conditions.includes('import')
      const wanted = isJson ? { ...context, importAttributes: { type: 'json' } } : context
      try {
        return withAttributes(next(specifier, wanted), isJson)
      } catch (error) {
        const ending = /^\.{0,2}\//.test(specifier) ? endingOf(specifier, context.parentURL) : undefined
        if (ending !== undefined) return next(ending, context)
        if (/^webpack(\/|$)/.test(specifier))
          return { url: `${WEBPACK}${specifier}`, format: 'commonjs', shortCircuit: true }
        if (/^next\//.test(specifier))
          throw new Error(`imports "${specifier}", which Portico does not have; remove what needs it`, { cause: error })
        throw error
      }
    },
    load(url, context, next) {
      if (url.startsWith(WEBPACK)) return { format: 'commonjs', shortCircuit: true, source: WEBPACK_STUB }
      if (url.startsWith(STUB)) return { format: 'module', shortCircuit: true, source: stubOf(url) }
      if (url.startsWith('file:') && !url.includes('/node_modules/') && url !== CONSTANTS && url !== MDX)
        onFile(fileURLToPath(url))
      return next(url, context)
    },
  })
}

function withAttributes<T>(resolved: T, isJson: boolean): T {
  return isJson ? { ...resolved, importAttributes: { type: 'json' } } : resolved
}

/** The names that a module imports from `next`: types in a TypeScript file, which Node would look for. */
function namesOf(parentUrl: string | undefined): string[] {
  if (!parentUrl?.startsWith('file:')) return []
  const code = readFileSync(fileURLToPath(parentUrl), 'utf8')
  return [...code.matchAll(/import\s+(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*['"]next['"]/g)].flatMap(([, list = '']) =>
    list.split(',').flatMap((item) => /^\s*(?!type\s)([\w$]+)/.exec(item)?.[1] ?? []),
  )
}

function stubOf(url: string): string {
  const names = url.slice(STUB.length).split(',').filter(Boolean)
  return ['export default {}', ...names.map((name) => `export const ${name} = undefined`)].join('\n')
}

function endingOf(specifier: string, parentUrl: string | undefined): string | undefined {
  const base = new URL(specifier, parentUrl).href
  // TypeScript files are also imported by the name that they would have as JavaScript.
  const candidates = [...ENDINGS.map((ending) => base + ending), base.replace(/\.([cm]?)js$/, '.$1ts')]
  return candidates.find((url) => url !== base && existsSync(fileURLToPath(url)))
}
