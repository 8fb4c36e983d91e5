// Node's modules in browser code of compatibility mode: as Next.js, packages take their places, for those that have one.

import { createRequire } from 'node:module'
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import type { BundleSources } from '../../bundles/bundle-sources.ts'
import { isSiteModule, packageOf } from '../../bundles/server-modules.ts'
import { STUB_PREFIX } from '../../bundles/server-stubs.ts'
import { appRelative, isScript, withoutQuery } from '../../folder/source-paths.ts'
import { isShared } from '../../framework-files.ts'

/** The module of a package for each module of Node. Without `crypto`, whose package is larger than all others together. */
const PACKAGES: Readonly<Record<string, string>> = {
  assert: 'assert/',
  buffer: 'buffer/',
  constants: 'constants-browserify',
  domain: 'domain-browser',
  events: 'events/',
  http: 'stream-http',
  https: 'https-browserify',
  os: 'os-browserify/browser.js',
  path: 'path-browserify',
  process: 'process/browser.js',
  punycode: 'punycode/',
  querystring: 'querystring-es3',
  stream: 'stream-browserify',
  string_decoder: 'string_decoder/',
  sys: 'util/',
  timers: 'timers-browserify',
  tty: 'tty-browserify',
  url: 'url/',
  util: 'util/',
  vm: 'vm-browserify',
  zlib: 'browserify-zlib',
}
/** Packages that a site installs itself to have the module. */
const OWN_PACKAGES: Readonly<Record<string, string>> = { crypto: 'crypto-browserify' }

/** What the plugins ask of the bundler, which has thousands of imports: a hook of ours for each would take most of its time. */
const IS_KNOWN = new RegExp(`^(?:node:)?(?:${[...Object.keys(PACKAGES), ...Object.keys(OWN_PACKAGES)].join('|')})$`)

/** Packages above, and those that they are made of, which read globals of Node. */
const READERS: ReadonlySet<string> = new Set([
  ...Object.values(PACKAGES).map((name) => name.replace(/\/.*$/, '')),
  'readable-stream',
  'safe-buffer',
])
const READS_GLOBALS = {
  id: new RegExp(`/node_modules/(?:${[...READERS].join('|')})/`),
  code: /\b(?:process|global)\b/,
}

/** A file from which the packages of Portico are found. */
const HERE = fileURLToPath(import.meta.url)
const PROCESS = createRequire(import.meta.url).resolve('process/browser.js')

type Resolve = (source: string, importer: string, options: object) => Promise<{ id: string } | null>

/** Resolves a module of Node to its package; undefined for another module, or one without a package. */
async function packageFor(source: string, importer: string, resolve: Resolve): Promise<string | undefined> {
  const name = source.replace(/^node:/, '')
  const options = { skipSelf: true }
  const own = Object.hasOwn(OWN_PACKAGES, name) ? OWN_PACKAGES[name] : undefined
  const found = own
    ? await resolve(own, importer, options)
    : Object.hasOwn(PACKAGES, name) && (await resolve(PACKAGES[name]!, HERE, options))
  // A package that is not installed has an id that is no path. Development has its bundles in a folder of the site.
  return found && isAbsolute(found.id) ? found.id : undefined
}

/** The plugin of builds and development; before that of server code. */
export function browserModules(appDir: string, sources: () => BundleSources): Plugin {
  const noted = new Set<string>()
  return {
    name: 'portico:browser-modules',
    enforce: 'pre',
    resolveId: {
      filter: { id: IS_KNOWN },
      async handler(source, importer, options) {
        const { next, notes } = sources()
        if (!next.on || next.nodeModules === false || this.environment.config.consumer !== 'client') return undefined
        const path = importer === undefined || importer.startsWith('\0') ? undefined : withoutQuery(importer)
        if (path === undefined || isShared(path)) return undefined
        const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
        // The site, or the `browser` field of a package, has another module for it.
        if (!resolved?.id.startsWith(STUB_PREFIX)) return resolved
        const id = await packageFor(source, path, (...given) => this.resolve(...given))
        if (id === undefined) return resolved
        if (!noted.has(source)) notes.add(noteOf(source, appRelative(appDir, path)))
        noted.add(source)
        // Nothing uses it in a module whose data function is removed.
        return { id, moduleSideEffects: false }
      },
    },
    transform: {
      filter: READS_GLOBALS,
      handler(code, id) {
        if (!sources().next.on || this.environment.config.consumer !== 'client') return undefined
        return withGlobals(code, withoutQuery(id))
      },
    },
  }
}

/** The plugin for packages that development bundles in advance. */
export function browserModulesOfPackages(): Plugin {
  return {
    name: 'portico:browser-modules-of-packages',
    resolveId: {
      filter: { id: IS_KNOWN },
      async handler(source, importer, options) {
        if (!importer) return undefined
        const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
        // The bundler's name for a builtin that no `browser` field replaces.
        if (!resolved?.id.startsWith('browser-external:')) return resolved
        const id = await packageFor(source, importer, (...given) => this.resolve(...given))
        return id ?? resolved
      },
    },
    transform: { filter: READS_GLOBALS, handler: (code, id) => withGlobals(code, withoutQuery(id)) },
  }
}

function noteOf(source: string, file: string): string {
  const name = source.replace(/^node:/, '')
  const replacement = (PACKAGES[name] ?? OWN_PACKAGES[name])?.replace(/\/.*$/, '')
  return `${file}: imports ${source}, a module of Node: browsers get the package ${replacement}`
}

const ESM = /^\s*(import|export)\s/m

/** Declares the globals of Node that a module of these packages reads. */
function withGlobals(code: string, path: string): { code: string; map: null } | undefined {
  const name = packageOf(path)
  if (name === undefined || !READERS.has(name) || !isScript(path) || isSiteModule(path) || path === PROCESS)
    return undefined
  const isESM = ESM.test(code)
  const names: string[] = []
  const add = (global: string, text: string) => {
    const isDeclared = new RegExp(`\\b(?:var|let|const|function|import)\\s+\\{?\\s*${global}\\b`).test(code)
    if (!isDeclared && new RegExp(`(?<![.\\w$'"])${global}\\b`).test(code)) names.push(text)
  }
  const from = JSON.stringify(PROCESS)
  add('process', isESM ? `import process from ${from};` : `var process = require(${from});`)
  add('global', 'var global = globalThis;')
  // On one line: positions of later lines stay.
  return names.length > 0 ? { code: `${names.join(' ')} ${code}`, map: null } : undefined
}
