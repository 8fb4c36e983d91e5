// Resolves the modules of Next.js to those of Portico in sites of the Pages Router (X1). A name that Portico does not
// have is an error in the site, and a module that fails when it is used in a package: packages support several routers.

import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'
import { type BundleSources, isBundledPackage, isInPackage, labelOf } from '../../../bundle-sources/bundle-sources.ts'
import { isRuntime, runtimeModule } from '../../../framework-files.ts'
import { refusedImport } from '../../../readable-error.ts'
import { importedNames, isScript, parseModule, withoutQuery } from '../../../source/source.ts'
import { nextFile } from '../../modules/next-modules.ts'
import type { NextPlugin } from '../next-plugin.ts'

const MISSING = '\0portico:next-missing:'
/** Where `next/config` reads the values of next.config. */
const RUNTIME_CONFIG = 'virtual:portico/next-config'
/** The start of the browser side, and the texts in it that select the root element and read the data element. */
const START = /\/browser\/boot\/start-page\.[jt]sx?$/
const ROOT_ELEMENT = /getElementById\((['"])portico\1\)/
const DATA_ELEMENT = /JSON\.parse\(document\.getElementById\(PAGE_DATA_ELEMENT_ID\)[!\s]*\.textContent[!\s]*\)/
/** Pages may be at the addresses of other pages, which costs bytes. */
const PLACES = /\/places\.[jt]s$/
/** The browser calls getInitialProps of the site's pages. */
const VIEW_PROPS = /\/view-props\.[jt]s$/
/** The screen of missing pages is that of next/error. */
const SCREENS = /\/screens\.[jt]sx?$/
const DEFAULT_SCREENS = /\/next\/default-screens\.[jt]sx?$/
/** What a CommonJS package that development bundles in advance requires. */
const REQUIRED = 'portico-next-required:'
const IS_REQUIRED = /^portico-next-required:/
const IS_NEXT = /^(next|styled-jsx)(\/|$)/

export const moduleNames = {
  plugins: (appDir, sources) => [resolvedNames(appDir, sources)],
  ofPackages: () => [namesInPackages()],
} satisfies NextPlugin

function resolvedNames(appDir: string, sources: () => BundleSources): Plugin {
  const missing = new Map<string, string>()
  return {
    name: 'portico:next-names',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      if (source === RUNTIME_CONFIG) return `\0${RUNTIME_CONFIG}`
      if (!sources().next.on || importer === undefined) return undefined
      if (PLACES.test(source) && isRuntime(importer)) return runtimeModule('next/browser/masked-places.ts')
      if (VIEW_PROPS.test(source) && isRuntime(importer)) return runtimeModule('next/browser-initial-props.tsx')
      if (SCREENS.test(source) && isRuntime(importer) && !DEFAULT_SCREENS.test(withoutQuery(importer)))
        return runtimeModule('next/default-screens.tsx')
      // The runtime has the package styled-jsx itself.
      if (!IS_NEXT.test(source) || isRuntime(importer)) return undefined
      const file = nextFile(source)
      if (file) return file
      const path = withoutQuery(importer)
      // `paths` or a plugin of the site may name a module of the site.
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
      if (resolved && resolved.id !== source && !isInPackage(resolved.id)) return resolved
      // Imports of Next.js are still in the bundle of a package.
      if (!isInPackage(path) && !isBundledPackage(path))
        throw refusedImport(path, source, appDir, { remedy: remedyOf(source) })
      const id = `${MISSING}${source}:${labelOf(appDir, path)}`
      missing.set(id, missingModule(source, path, appDir))
      return { id, moduleSideEffects: false }
    },
    // Styles and libraries select the elements by these ids. A value in its own module would cost every site bytes.
    transform(code, id) {
      const path = withoutQuery(id)
      if (!sources().next.on || !START.test(path) || !isRuntime(path)) return undefined
      if (!ROOT_ELEMENT.test(code)) throw new Error('start-page: the id of the root element is not found')
      if (!DATA_ELEMENT.test(code)) throw new Error('start-page: the data element is not found')
      const changed = code.replace(ROOT_ELEMENT, "getElementById('__next')").replace(DATA_ELEMENT, 'readNextData()')
      const from = JSON.stringify(runtimeModule('next/page-data.ts'))
      return { code: `import { readNextData } from ${from}\n${changed}`, map: null }
    },
    load(id) {
      if (id !== `\0${RUNTIME_CONFIG}`) return missing.get(id)
      const { public: shared = {}, server = {} } = sources().next.runtimeConfig ?? {}
      // SECURITY: the values for the server are in no module of the browser.
      const isBrowser = this.environment.config.consumer === 'client'
      const values = { publicRuntimeConfig: shared, serverRuntimeConfig: isBrowser ? {} : server }
      return `export const runtimeConfig = ${JSON.stringify(values)}`
    },
  }
}

/** Leaves the imports of Next.js in packages that development bundles in advance: the plugin above resolves them. */
function namesInPackages(): Plugin {
  return {
    name: 'portico:next-of-packages',
    resolveId: {
      filter: { id: IS_NEXT },
      // A `require` that the bundler leaves would fail in the browser, which has no such function.
      handler: (source, _importer, { kind }) =>
        kind === 'require-call' ? { id: REQUIRED + source } : { id: source, external: true },
    },
    load: {
      filter: { id: IS_REQUIRED },
      handler: (id) => ({
        code: `import * as module_ from ${JSON.stringify(id.slice(REQUIRED.length))}
module.exports = { ...module_, __esModule: true }`,
        moduleType: 'js',
      }),
    },
  }
}

/** What the author uses instead where the mode itself has no module. */
function remedyOf(source: string): string | undefined {
  if (source.startsWith('next/dist/')) return 'a public module of Next.js, for example next/router'
  return REMEDIES[source.replace(/\.js$/, '')]
}

const REMEDIES: Readonly<Record<string, string>> = {
  'next/amp': 'an ordinary page: AMP is not supported',
  'styled-jsx/macro': 'css.resolve of styled-jsx/css',
}

/** The module in place of one that Portico does not have: its exports throw when a package calls or reads them. */
function missingModule(source: string, importer: string, appDir: string): string {
  const code = isScript(importer) ? readFileSync(importer, 'utf8') : ''
  const names = [...importedNames(parseModule(code, importer), source).names].filter((name) => name !== 'default')
  const text = `"${source}" is not part of Portico; ${labelOf(appDir, importer)} uses it`
  const lines = names.map(
    (name, index) => `const name${index} = stub\nexport { name${index} as ${JSON.stringify(name)} }`,
  )
  return `const fail = () => { throw new Error(${JSON.stringify(text)}) }
const stub = /* @__PURE__ */ new Proxy(function () {}, {
  get: (target, key) => key === 'prototype' || key === 'then' || typeof key === 'symbol' || key === '__esModule' ? target[key] : fail(),
  apply: fail,
  construct: fail,
})
export default stub
${lines.join('\n')}\n`
}
