// Vite's caches of modules: the module graph of each environment, and the modules that the renderer has run.

import type { DevEnvironment } from 'vite'
import type { ModuleRunner } from 'vite/module-runner'
import { VIRTUAL_MODULES } from '../../bundles/virtual-modules.ts'

/**
 * Has the resolver of an environment look again: it keeps what it did not find until a file is added, and the watcher does not
 * see packages. `file` is the module that failed.
 */
export function resolveAgain({ pluginContainer }: DevEnvironment, file: string): Promise<void> {
  return pluginContainer.watchChange(file, { event: 'create' })
}

export function createModuleCaches(environments: readonly DevEnvironment[], runner: ModuleRunner) {
  /** The runner's own invalidation leaves importers in its cache. */
  const invalidateRun = (ids: Iterable<string>) => {
    const queue = [...ids]
    const seen = new Set<string>()
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const node = seen.has(id) ? undefined : runner.evaluatedModules.getModuleById(id)
      seen.add(id)
      if (!node) continue
      queue.push(...node.importers)
      runner.evaluatedModules.invalidateModule(node)
    }
  }
  return {
    /** Removes the modules of these files, and their importers, from the caches. */
    invalidate(files: Iterable<string>): void {
      for (const file of files) {
        for (const { moduleGraph } of environments) moduleGraph.onFileChange(file)
        invalidateRun([...(runner.evaluatedModules.getModulesByFile(file) ?? [])].map(({ id }) => id))
      }
    },
    /** Removes the virtual modules, and their importers, from the caches. */
    invalidateVirtual(): void {
      const ids = Object.values(VIRTUAL_MODULES).map((name) => `\0${name}`)
      for (const { moduleGraph } of environments)
        for (const id of ids) {
          const module = moduleGraph.getModuleById(id)
          if (module) moduleGraph.invalidateModule(module)
        }
      invalidateRun(ids)
    },
  }
}
