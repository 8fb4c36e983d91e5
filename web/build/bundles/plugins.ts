// The plugins that builds and development share, and the resolution of `portico` and React.

import { REACT_PACKAGES } from '@portico/shared/wire/bundles.ts'
import type { Plugin } from 'vite'
import { adapter } from '../adapter/registered.ts'
import { appRelative } from '../folder/source-paths.ts'
import { RUNTIME_FILES } from '../framework-files.ts'
import { packages } from '../packages/packages.ts'
import { composedStyles } from '../styles/composed-styles.ts'
import { documentStyles } from '../styles/document-styles.ts'
import { commonJs } from '../transforms/common-js.ts'
import { type DevImages, images } from '../transforms/images.ts'
import { jsonModules } from '../transforms/json-modules.ts'
import { jsxInJs } from '../transforms/jsx-in-js.ts'
import { markdown } from '../transforms/markdown.ts'
import { modulePlace } from '../transforms/module-place.ts'
import { nextImports } from '../transforms/next-imports.ts'
import { refuseMdx } from '../transforms/refuse-mdx.ts'
import { stripDataFunctions } from '../transforms/strip-data-functions.ts'
import { templateImports } from '../transforms/template-imports.ts'
import { typeImports } from '../transforms/type-imports.ts'
import { useServerReferences } from '../transforms/use-server.ts'
import type { BundleSources } from './bundle-sources.ts'
import { nodeGlobals } from './node-globals.ts'
import { serverCode } from './server-code.ts'
import { virtualModules } from './virtual-modules.ts'

/** The plugins of every bundle, in order. Each plugin calls `sources` again, because development changes the result. */
export function porticoPlugins(appDir: string, sources: () => BundleSources, dev?: DevImages): Plugin[] {
  const isPage = (id: string) => {
    const file = appRelative(appDir, id)
    const { pages, screens, app } = sources().folder
    return file === app || [...pages, ...screens].some((page) => page.file === file)
  }
  return [
    ...(adapter?.vite.plugins(appDir, sources) ?? []),
    nextImports(appDir, () => !sources().next.on),
    documentStyles(appDir, sources),
    composedStyles(),
    serverCode(appDir, sources),
    nodeGlobals(() => sources().next),
    packages(appDir, sources),
    resolveFramework(sources),
    virtualModules(sources),
    commonJs(appDir, sources),
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

/** Resolves `portico` and React to this framework's copies, wherever the app folder is. */
function resolveFramework(sources: () => BundleSources): Plugin {
  const own: Readonly<Record<string, string>> = {
    portico: RUNTIME_FILES.index,
    'portico/server': RUNTIME_FILES.server,
    'portico/config': RUNTIME_FILES.config,
    // Replaces Vite's helper for dynamic imports, which would be a tenth of the framework chunk.
    '\0vite/preload-helper.js': RUNTIME_FILES.stylesheets,
  }
  return {
    name: 'portico:resolve-framework',
    enforce: 'pre',
    resolveId(source, importer) {
      if (own[source]) return own[source]
      if (importer === RUNTIME_FILES.index || !REACT_PACKAGES.test(source)) return undefined
      if (importer) sources().react.note(source, importer)
      return this.resolve(source, RUNTIME_FILES.index, { skipSelf: true })
    },
  }
}
