// Vite's caches of modules: the module graph of each environment, and the modules that the renderer has run.

import type { DevEnvironment } from 'vite'
import type { ModuleRunner } from 'vite/module-runner'
import { VIRTUAL_MODULES } from '../../bundles/virtual-modules.ts'

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
  const invalidate = (files: Iterable<string>) => {
    for (const file of files) {
      for (const { moduleGraph } of environments) moduleGraph.onFileChange(file)
      invalidateRun([...(runner.evaluatedModules.getModulesByFile(file) ?? [])].map(({ id }) => id))
    }
  }
  return {
    /** Removes the modules of these files, and their importers, from the caches. */
    invalidate,
    /**
     * Removes the modules that threw when they ran: what they lacked may be there at their next import, such as a package that
     * was installed meanwhile.
     */
    forgetFailed(): void {
      for (const { promise, file } of runner.evaluatedModules.idToModuleMap.values())
        promise?.catch(() => invalidate([file]))
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
