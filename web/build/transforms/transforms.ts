// Changes modules of the site before they are bundled, or run under development: what browsers, the bundler or Node could
// not take, or must not get.
// Guarantees: a fault of the author has its file and line; no bundle for browsers has a data function, and the actions
// bundle alone has the functions of 'use server' modules.
// Leaves server code in browsers to server-code, packages to packages, and what a mode changes to its adapter.

import { readFile } from 'node:fs/promises'
import MagicString from 'magic-string'
import { type Plugin, transformWithOxc } from 'vite'
import { authorError } from '../build-error.ts'
import { type BundleSources, packageOf, readActionExports } from '../bundle-sources/bundle-sources.ts'
import { hasUseServer } from '../folder/folder.ts'
import { RUNTIME_FILES } from '../framework-files.ts'
import type { ModeSettings } from '../mode.ts'
import { refusedImport, replacementOf } from '../readable-error.ts'
import { appRelative, isScript, isTypeOnly, parseModule, withoutQuery } from '../source/source.ts'
import { commonJs } from './common-js.ts'
import { type DevImages, images } from './images.ts'
import { markdown } from './markdown.ts'
import { modulePlace } from './module-place.ts'
import { stripDataFunctions } from './strip-data-functions.ts'
import { templateImports } from './template-imports.ts'

export { contextFaults } from './common-js.ts'
export type { DevImages } from './images.ts'
export { renderMarkdown } from './markdown.ts'
export { strip } from './strip-data-functions.ts'

export interface TransformOptions {
  /** Whether `require` of a module is its default export, with all names as members. */
  isDefaultRequired: (specifier: string) => boolean
  dev: DevImages | undefined
}

/** The transforms in their order: JSX is compiled after all that parse the author's source. */
export function transforms(
  appDir: string,
  sources: () => BundleSources,
  { isDefaultRequired, dev }: TransformOptions,
): Plugin[] {
  const isPage = (id: string) => {
    const file = appRelative(appDir, id)
    const { pages, screens, app } = sources().folder
    return file === app || [...pages, ...screens].some((page) => page.file === file)
  }
  return [
    commonJs(appDir, sources, isDefaultRequired),
    templateImports(appDir, () => sources().next),
    useServerReferences(appDir, RUNTIME_FILES.actionReference),
    stripDataFunctions(isPage),
    typeImports(),
    jsonModules(appDir),
    jsxInJs(appDir, () => sources().next),
    images(appDir, () => sources().generated, dev),
    markdown(),
    refuseMdx(appDir),
    modulePlace(appDir),
  ]
}

/** Names file and line of JSON that cannot be read; Vite's own error names neither. */
function jsonModules(appDir: string): Plugin {
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

/** JSX in `.js` files of the app folder (R1, F3): the bundler parses JSX in `.jsx` and `.tsx` only. */
function jsxInJs(appDir: string, settings: () => ModeSettings): Plugin {
  return {
    name: 'portico:jsx-in-js',
    enforce: 'pre',
    transform(code, id) {
      const path = withoutQuery(id)
      const file = appRelative(appDir, path)
      const { styledComponents } = settings()
      // A file without "<" contains no JSX.
      const isAffected = code.includes('<') || (styledComponents !== undefined && code.includes('styled-components'))
      // Packages are published as plain JavaScript.
      if (!path.endsWith('.js') || file.startsWith('..') || file.includes('node_modules/') || !isAffected) return
      const development = this.environment.mode === 'dev'
      return transformWithOxc(code, path, {
        lang: 'jsx',
        jsx: { runtime: 'automatic', development },
        ...(styledComponents && { plugins: { styledComponents } }),
      })
    },
  }
}

/** A file of the package, also in the form in which development bundles packages in advance. */
const NEXT = /[/\\](node_modules[/\\]next[/\\]|vite[/\\]deps[/\\]next(_|\.js))/

/**
 * Refuses imports of Next.js by the site, also where the package `next` is installed: its components would find neither a
 * router nor a document. The error names what replaces the module (F1). `isOn`: false for a site of the Pages Router.
 */
export function nextImports(appDir: string, isOn: () => boolean = () => true): Plugin {
  return {
    name: 'portico:next-imports',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      if (!isOn() || importer === undefined || replacementOf(source) === undefined) return undefined
      const path = withoutQuery(importer)
      // A package may import Next.js for other frameworks' sake, in code that this site never runs.
      if (packageOf(path) !== undefined) return undefined
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
      // `paths` or a plugin of the site may name a module of the site.
      if (resolved && resolved.id !== source && !NEXT.test(resolved.id)) return resolved
      throw refusedImport(path, source, appDir)
    },
  }
}

export const MDX_PACKAGES = 'run npm install @mdx-js/rollup @mdx-js/react'
const OWN_REMEDY = `${MDX_PACKAGES}, and add mdx() to plugins of portico.config.ts`

/** A clear error where nothing compiles MDX: after the plugins of the site. Without a remedy a file is not refused. */
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

/** A cheap test: most modules import no type name by name. */
const NAMED_TYPE = /[{,]\s*type\s+[\w$"']/

/**
 * Removes imports and re-exports of types only, written name by name: `import { type T } from './x'`. Under
 * `verbatimModuleSyntax` the compiler would keep `import './x'`, and with it the module (F3).
 */
function typeImports(): Plugin {
  return {
    name: 'portico:type-imports',
    enforce: 'pre',
    transform(code, id) {
      const path = withoutQuery(id)
      return /\.[cm]?tsx?$/.test(path) ? removeTypeImports(code, path) : undefined
    },
  }
}

/** The module without its imports of types; undefined when it has none. */
export function removeTypeImports(code: string, path: string) {
  if (!NAMED_TYPE.test(code)) return
  const statements = parseModule(code, path).filter((node) => node.source && isTypeOnly(node))
  if (statements.length === 0) return
  const text = new MagicString(code)
  for (const { start, end } of statements) text.remove(start, end)
  return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
}

/** Name of the plugin, which the actions bundle does not use. */
export const REFERENCES = 'portico:use-server'

/**
 * Replaces each export of a 'use server' module with a reference that carries the action's id: only the actions bundle
 * contains the functions (A1, A2).
 */
export function useServerReferences(appDir: string, referenceModule: string): Plugin {
  return {
    name: REFERENCES,
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name !== 'actions',
    transform(code, id) {
      const path = withoutQuery(id)
      const file = appRelative(appDir, path)
      if (file.startsWith('..') || !isScript(path) || !hasUseServer(code, file)) return
      const exports = readActionExports(code, file)
      // The local name differs from the exported name, which may be a reserved word or no identifier.
      const lines = exports.map(
        ({ id: actionId, name, repeat }, index) =>
          `const action${index} = createActionReference(${JSON.stringify(actionId)}${repeat ? ', true' : ''})\nexport { action${index} as ${JSON.stringify(name)} }`,
      )
      return {
        code: `import { createActionReference } from ${JSON.stringify(referenceModule)}\n${lines.join('\n')}\n`,
        map: null,
      }
    },
  }
}
