// Stylesheets of `_document`: it is rendered on the server only, and pages link what browsers load. An import of one would
// give names of classes without their rules.

import { isCSSRequest, type Plugin } from 'vite'
import type { BundleSources } from '../bundles/bundle-sources.ts'
import { appRelative, withoutQuery } from '../folder/source-paths.ts'
import { refusedImport } from '../import-fault.ts'

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
