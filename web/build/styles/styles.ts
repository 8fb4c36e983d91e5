// Stylesheets: which ones `_document` may not import, those that CSS modules compose, and the files that a build makes of
// all.
// Guarantees: a page has its sheets in the order of its imports, under development and in a build alike.
// Leaves PostCSS, Sass and CSS modules to Vite, and the options of both to bundles.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type CSSModulesOptions, isCSSRequest, type Plugin, preprocessCSS, type ResolvedConfig } from 'vite'
import { authorError } from '../build-error.ts'
import type { BundleSources } from '../bundle-sources/bundle-sources.ts'
import { refusedImport } from '../readable-error.ts'
import { appRelative, withoutQuery } from '../source/source.ts'

export { styleFiles, stylesInOrder } from './style-files.ts'

// Stylesheets of `_document`: it is rendered on the server only, and pages link what browsers load. An import of one would
// give names of classes without their rules.

/** Refuses the imports of the document itself; a component that pages use, too, may have its own. */
export function documentStyles(appDir: string, sources: () => Pick<BundleSources, 'folder'>): Plugin {
  return {
    name: 'portico:document-styles',
    enforce: 'pre',
    resolveId(source, importer) {
      if (importer === undefined || !isCSSRequest(source) || AS_FILE.test(source)) return undefined
      const path = withoutQuery(importer)
      if (appRelative(appDir, path) !== sources().folder.document) return undefined
      throw refusedImport(path, source, appDir, { rule: 'has no effect in a document: import the stylesheet in _app' })
    },
  }
}

/** The address or the text of a file. */
const AS_FILE = /[?&](url|raw|inline)\b/

/** Finds the file of a specifier; returns the specifier if there is none. */
type FindFile = (specifier: string, importer: string) => Promise<string>

/** Files by a stylesheet. */
type Files = Map<string, Set<string>>

// `composes: name from './other.module.scss'`: Vite's CSS modules read the other file as plain CSS. It is compiled here as
// if it were imported, by Sass and with the modules that it composes itself.

export function composedStyles(): Plugin {
  let config: ResolvedConfig
  /** The files that a stylesheet composes, with those that they are compiled from. */
  const composed: Files = new Map()
  /** Those that are compiled now. */
  const loading: Files = new Map()
  /** What CSS modules read other files with: one for each stylesheet. */
  class Loader {
    readonly #findFile: FindFile
    /** In the order of the declarations. */
    readonly #parts: { css: string }[] = []

    constructor(_root: string, _plugins: unknown, findFile: FindFile) {
      this.#findFile = findFile
    }

    /** The names of a file that the stylesheet composes. */
    async fetch(specifier: string, from: string): Promise<Record<string, string>> {
      const importer = withoutQuery(from)
      const part = { css: '' }
      this.#parts.push(part)
      const file = await this.#findFile(specifier, importer)
      const refuse = (rule: string) => authorError({ file: appRelative(config.root, importer), rule })
      if (!existsSync(file)) throw refuse(`cannot find "${specifier}", of which it composes a class`)
      if (file === importer || filesBelow(file, loading).has(importer))
        throw refuse(`composes a class of "${specifier}", which composes one of it`)
      add(loading, importer, [file])
      try {
        const { code, modules = {}, deps = [] } = await preprocessCSS(await readFile(file, 'utf8'), file, config)
        add(composed, importer, [file, ...deps])
        part.css = withPaths(code, file)
        return modules
      } finally {
        loading.get(importer)?.delete(file)
      }
    }

    /** Comes before the rules of the stylesheet. */
    get finalSource(): string {
      return this.#parts.map(({ css }) => css).join('')
    }
  }
  // The cast: the types leave out this option of the package that Vite passes them to.
  const modules = { Loader } as CSSModulesOptions
  return {
    name: 'portico:composed-styles',
    config: () => ({ css: { modules } }),
    configResolved(resolved) {
      config = resolved
    },
    // Behind the plugin that compiles the stylesheet: a change of what it composes is one of the stylesheet.
    transform: {
      filter: { id: /\.module\.\w+(\?|$)/ },
      handler(_code, id) {
        for (const file of filesBelow(withoutQuery(id), composed)) this.addWatchFile(file)
      },
    },
  }
}

function add(files: Files, importer: string, more: Iterable<string>): void {
  files.set(importer, new Set([...(files.get(importer) ?? []), ...more]))
}

function filesBelow(path: string, files: Files): Set<string> {
  const found = new Set(files.get(path))
  // The loop also visits what it adds.
  for (const file of found) for (const next of files.get(file) ?? []) found.add(next)
  return found
}

/** The text becomes part of a stylesheet in another folder. */
function withPaths(css: string, file: string): string {
  return css.replaceAll(RELATIVE_URL, (_, quote: string, path: string) => {
    const mark = quote || '"'
    return `url(${mark}${resolve(dirname(file), path)}${mark})`
  })
}

const RELATIVE_URL = /\burl\(\s*(["']?)(\.[^"')]*|[\w-][^"'):]*)\1\s*\)/g
