// The files that a stylesheet is made from besides stylesheets: a PostCSS plugin such as Tailwind reads the sources of the
// folder. Vite has a module of type `asset` for each of these files, with the stylesheets as its importers.

import { type EnvironmentModuleNode, isCSSRequest, type Plugin } from 'vite'

/** Has stylesheets follow files that are added and removed. */
export function styleSources(): Plugin {
  return {
    name: 'portico:style-sources',
    hotUpdate({ type, modules }) {
      const { config, moduleGraph } = this.environment
      // Vite keeps the module of a file that no stylesheet reads any more, and would reload the page for its change.
      const used = modules.filter((module) => module.type !== 'asset' || module.importers.size > 0)
      if (type !== 'create') return used
      // No stylesheet has read a new file. Vite would reload the page for a module that the page no longer imports.
      const isUsed = (module: EnvironmentModuleNode) =>
        config.consumer === 'server' || module.isSelfAccepting === true || module.importers.size > 0
      return [
        ...used,
        ...[...moduleGraph.idToModuleMap.values()].filter((module) => readsFiles(module) && isUsed(module)),
      ]
    },
  }
}

function readsFiles({ url, importedModules }: EnvironmentModuleNode): boolean {
  return isCSSRequest(url) && importedModules.values().some(({ type }) => type === 'asset')
}
