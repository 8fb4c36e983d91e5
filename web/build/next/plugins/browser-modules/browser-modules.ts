// Node's modules in browser code of compatibility mode: as Next.js, packages take their places, for those that have one.

import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import type { BundleSources } from '../../../bundle-sources/bundle-sources.ts'
import { isShared } from '../../../framework-files.ts'
import { STUB_PREFIX } from '../../../server-code/server-code.ts'
import { appRelative, withoutQuery } from '../../../source/source.ts'
import type { NextPlugin } from '../next-plugin.ts'

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

/** A file from which the packages of Portico are found. */
const HERE = fileURLToPath(import.meta.url)

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

export const browserModules: NextPlugin = {
  plugins: (appDir, sources) => [packagesOfModules(appDir, sources)],
  ofPackages: ({ nodeModules }) => (nodeModules === false ? [] : [packagesInPackages()]),
}

/** The plugin of builds and development; before that of server code. */
function packagesOfModules(appDir: string, sources: () => BundleSources): Plugin {
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
  }
}

/** The plugin for packages that development bundles in advance. */
function packagesInPackages(): Plugin {
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
  }
}

function noteOf(source: string, file: string): string {
  const name = source.replace(/^node:/, '')
  const replacement = (PACKAGES[name] ?? OWN_PACKAGES[name])?.replace(/\/.*$/, '')
  return `${file}: imports ${source}, a module of Node: browsers get the package ${replacement}`
}
