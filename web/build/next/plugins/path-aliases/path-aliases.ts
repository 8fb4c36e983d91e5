// `paths` and `baseUrl` of tsconfig.json or jsconfig.json, for all modules of the site: the bundler itself reads
// tsconfig.json only, and only for TypeScript (X6). With the aliases of `turbopack`.

import { join } from 'node:path'
import type { Plugin } from 'vite'
import { isInPackage } from '../../../bundle-sources/bundle-sources.ts'
import type { ModeSettings } from '../../../mode.ts'
import { type PathOptions, readPathOptions, targetsOf, withoutQuery } from '../../../source/source.ts'
import type { NextPlugin } from '../next-plugin.ts'
import { aliasesOf } from './aliases.ts'

export const pathAliases: NextPlugin = {
  plugins: (appDir, sources) => [aliasedModules(appDir, () => sources().next)],
  options: (appDir, { aliases, tsconfig, resolveExtensions }) => ({
    resolve: {
      alias: aliasesOf(appDir, aliases, tsconfig),
      ...(resolveExtensions && { extensions: resolveExtensions }),
    },
  }),
}

function aliasedModules(appDir: string, settings: () => ModeSettings): Plugin {
  let options: PathOptions | undefined
  return {
    name: 'portico:path-aliases',
    enforce: 'pre',
    buildStart: () => {
      options = undefined
    },
    async resolveId(source, importer, given) {
      const next = settings()
      if (!next.on || importer === undefined || !/^[^./\0]/.test(source) || isInPackage(withoutQuery(importer)))
        return undefined
      options ??= readPathOptions(appDir, next.tsconfig)
      for (const target of targetsOf(source, options)) {
        const resolved = await this.resolve(target, importer, { ...given, skipSelf: true })
        if (resolved) return resolved
      }
      if (options.baseUrl === undefined) return undefined
      // Packages win over files of the same name.
      const found = await this.resolve(source, importer, { ...given, skipSelf: true })
      return found ?? this.resolve(join(options.baseUrl, source), importer, { ...given, skipSelf: true })
    },
  }
}
