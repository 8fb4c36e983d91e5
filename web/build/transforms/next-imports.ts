// Refuses imports of Next.js by the site, also where the package `next` is installed: its components would find neither a
// router nor a document. The error names what replaces the module (F1).

import type { Plugin } from 'vite'
import { packageOf } from '../bundles/server-modules.ts'
import { withoutQuery } from '../folder/source-paths.ts'
import { refusedImport, replacementOf } from '../import-fault.ts'

/** A file of the package, also in the form in which development bundles packages in advance. */
const NEXT = /[/\\](node_modules[/\\]next[/\\]|vite[/\\]deps[/\\]next(_|\.js))/

/** `isOn`: false for a site of the Pages Router, whose names next-names.ts resolves. */
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
