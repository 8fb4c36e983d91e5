// Packages in node_modules and the framework: every import of React, `portico` or a module of Next.js, by any package and
// in either way, leads to the one copy that pages run on (W7). Registered before a module of the framework is loaded in a
// build, and before one of the site in development.

import { existsSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isFrameworkName, PACKAGE_SCHEME, REACT_PACKAGES, SHARED_FRAMEWORK } from '@portico/shared/wire/bundles.ts'

type Exports = Readonly<Record<string, unknown>>

interface FrameworkCopy {
  /** The absolute path of a file of the framework's React, by its specifier; undefined if it has none. */
  reactFile(specifier: string): string | undefined
  siteDir: string
  /** By the names that packages import. */
  modules: Readonly<Record<string, Exports>>
}

/** What the generated modules of the process call. */
interface Shared {
  copy: FrameworkCopy
  /** The module as `require` gives it. */
  view(name: string): object
  /** Calls `take` now, and again when development has loaded the framework again. */
  follow(name: string, take: (exports: Exports) => void): void
  followers: (() => void)[]
}

const globals = globalThis as { [SHARED_FRAMEWORK]?: Shared }
const MODULE_SCHEME = 'portico-framework:'
const EMPTY = 'portico-empty:'
const WITHOUT_CODE: ReadonlySet<string> = new Set(['server-only', 'client-only'])

/**
 * Shares the framework of a server bundle.
 * @param reactFiles paths of the bundle's files of React in the folder, by their specifiers
 * @returns what shares the framework's modules as well; they import React, so they are loaded after the call
 */
export function shareBundle(
  bundleDir: string,
  reactFiles: Readonly<Record<string, string>>,
): (modules: FrameworkCopy['modules']) => void {
  const files = new Map(Object.entries(reactFiles).map(([specifier, file]) => [specifier, join(bundleDir, file)]))
  const copy = { reactFile: (specifier: string) => files.get(specifier), siteDir: siteOfBundle(bundleDir) }
  shareFramework({ ...copy, modules: globals[SHARED_FRAMEWORK]?.copy.modules ?? {} })
  return (modules) => shareFramework({ ...copy, modules })
}

/** Shares the framework of development, whose React Node finds from the file. */
export function shareSources(file: string, siteDir: string, modules: FrameworkCopy['modules']): void {
  const require = createRequire(file)
  shareFramework({ reactFile: (specifier) => require.resolve(specifier), siteDir, modules })
}

/** The folder of the site, from the folder of one of its bundles: `dist/server`, or that of a build that is not finished. */
function siteOfBundle(bundleDir: string): string {
  const parent = dirname(dirname(bundleDir))
  return basename(parent) === '.portico' ? dirname(parent) : parent
}

/** A second call in a process replaces the copy: development has loaded its modules again. */
function shareFramework(copy: FrameworkCopy): void {
  const known = globals[SHARED_FRAMEWORK]
  if (known) {
    known.copy = copy
    for (const again of known.followers) again()
    return
  }
  const shared: Shared = {
    copy,
    followers: [],
    view: (name) => viewOf(name, () => shared.copy.modules[name]),
    follow(name, take) {
      const again = () => take(shared.copy.modules[name] ?? {})
      shared.followers.push(again)
      again()
    },
  }
  globals[SHARED_FRAMEWORK] = shared
  hookNode(shared)
}

function hookNode(shared: Shared): void {
  let isResolving = false
  registerHooks({
    resolve(specifier, context, next) {
      if (isResolving) return next(specifier, context)
      if (specifier.startsWith(PACKAGE_SCHEME)) {
        const file = join(shared.copy.siteDir, decodeURI(specifier.slice(PACKAGE_SCHEME.length)))
        return next(context.conditions.includes('require') ? file : pathToFileURL(file).href, context)
      }
      if (REACT_PACKAGES.test(specifier)) {
        isResolving = true
        try {
          // Node would look next to a package that requires React and ignore the parent: the file is named here.
          const file = shared.copy.reactFile(specifier)
          // The build that registered the hooks may be gone, as in a process that runs one build after the other.
          if (file === undefined || !existsSync(file)) return next(specifier, context)
          const format = file.endsWith('.json') ? 'json' : 'commonjs'
          return { url: pathToFileURL(file).href, format, shortCircuit: true }
        } finally {
          isResolving = false
        }
      }
      if (WITHOUT_CODE.has(specifier)) return { url: EMPTY + specifier, format: 'commonjs', shortCircuit: true }
      const name = isFrameworkName(specifier) ? nameOf(specifier, shared.copy) : undefined
      if (name === undefined) return next(specifier, context)
      const isRequired = context.conditions.includes('require')
      const url = `${MODULE_SCHEME}${isRequired ? 'require' : 'import'}:${name}`
      return { url, format: isRequired ? 'commonjs' : 'module', shortCircuit: true }
    },
    load(url, context, next) {
      if (url.startsWith(EMPTY)) return { format: 'commonjs', source: '', shortCircuit: true }
      if (!url.startsWith(MODULE_SCHEME)) return next(url, context)
      const [, by, name = ''] = /^[^:]+:([^:]+):(.*)$/s.exec(url) ?? []
      return by === 'require'
        ? { format: 'commonjs', source: requiredModule(name), shortCircuit: true }
        : { format: 'module', source: importedModule(name, shared.copy.modules[name]), shortCircuit: true }
    },
  })
}

/** Undefined for a name that is none of the framework in this site: a module of Next.js outside of compatibility mode. */
function nameOf(specifier: string, { modules }: FrameworkCopy): string | undefined {
  const name = specifier.replace(/\.js$/, '')
  if (Object.hasOwn(modules, name)) return name
  return Object.hasOwn(modules, 'next') && /^next(\/|$)/.test(name) ? name : undefined
}

const GLOBAL = `globalThis[Symbol.for(${JSON.stringify(SHARED_FRAMEWORK.description)})]`

function requiredModule(name: string): string {
  return `module.exports = ${GLOBAL}.view(${JSON.stringify(name)})`
}

/** The bindings change with the framework's modules. */
function importedModule(name: string, exports: Exports | undefined): string {
  if (!exports) throw new Error(missingText(name))
  const names = Object.keys(exports)
  const locals = names.map((_, index) => `name${index}`)
  const lines = names.map((each, index) => `name${index} = exports[${JSON.stringify(each)}]`)
  const list = names.map((each, index) => `name${index} as ${JSON.stringify(each)}`)
  return `${locals.length > 0 ? `let ${locals.join(', ')}` : ''}
${GLOBAL}.follow(${JSON.stringify(name)}, (exports) => { ${lines.join('; ')} })
export { ${list.join(', ')} }`
}

/** The module as transpiled code reads it; one that Portico does not have fails when it is used, as in a bundle. */
function viewOf(name: string, module: () => Exports | undefined): object {
  const known = module()
  if (!known)
    return new Proxy(
      {},
      {
        get(_target, key) {
          if (key === '__esModule') return true
          if (typeof key === 'symbol') return undefined
          throw new Error(`${missingText(name)}; a CommonJS package uses ${key} of it`)
        },
      },
    )
  const view = Object.defineProperty({}, '__esModule', { value: true })
  for (const key of Object.keys(known))
    Object.defineProperty(view, key, { enumerable: true, get: () => module()?.[key] })
  return view
}

function missingText(name: string): string {
  return `"${name}" is not part of Portico`
}
