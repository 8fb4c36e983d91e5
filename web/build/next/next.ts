// The adapter of sites of Next.js (compatibility mode, X): the one module of this folder that the rest of the build imports.

import type { SiteAdapter } from '../adapter.ts'
import { nextDefaults } from './fields/next-defaults.ts'
import { generated } from './generated.ts'
import { initialPages } from './initial/initial-pages.ts'
import { hasDefault, NEXT_NAMES, nextFile } from './modules/next-modules.ts'
import { nextTypes, TYPES_ENTRY } from './modules/next-types.ts'
import { misplacedNext, readNextMode } from './next-mode.ts'
import { bothFaults } from './plugins/code-env/code-env.ts'
import { findPublicUses } from './plugins/code-env/public-uses.ts'
import { anchorsInLinks } from './plugins/link-anchors/link-anchors.ts'
import { loadedSource } from './plugins/loaders/loaders.ts'
import { PLUGINS } from './plugins/plugins.ts'
import { readPostcssPlugins } from './plugins/styles/postcss.ts'
import { readNextConfig } from './read-next.ts'
import { viteOptions } from './vite-options.ts'

export const nextAdapter: SiteAdapter = {
  async readMode(appDir, portico) {
    const mode = await readNextMode(appDir, portico)
    if (!mode) return undefined
    const rest = { framework: 'Next.js', readPostcss: () => readPostcssPlugins(appDir) }
    return {
      settings: nextDefaults(),
      read: async (options) => ({ ...(await readNextConfig(appDir, mode, options)), ...rest }),
    }
  },
  hintsOf: misplacedNext,
  vite: {
    options: viteOptions,
    plugins: (appDir, sources) => PLUGINS.flatMap((each) => each.plugins?.(appDir, sources) ?? []),
    ofPackages: (settings) => PLUGINS.flatMap((each) => each.ofPackages?.(settings) ?? []),
    compileSource: (appDir, { loaderRules }, path, code) => loadedSource(appDir, loaderRules, path, code),
  },
  modules: {
    files: new Map(NEXT_NAMES.map((name) => [name, nextFile(name)!])),
    isDefaultRequired: (specifier) => /^next(\/|$)/.test(specifier) && hasDefault(specifier),
    types: { entry: TYPES_ENTRY, write: nextTypes },
  },
  generated,
  kinds: initialPages,
  variables: { faultsIn: bothFaults, usesIn: findPublicUses },
  findingsIn: ({ code, path, file }) =>
    anchorsInLinks(code, path, file).map((text) => ({ text, docs: 'next-modules' })),
}
