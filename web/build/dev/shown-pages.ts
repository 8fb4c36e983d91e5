// The pages that this process has rendered. Vite bundles the packages that pages import for the browser; a package that is
// found later changes bundles that browsers have the names of: Vite rejects requests for them and reloads the page. No
// browser therefore receives a module before the modules of every rendered page were transformed and their packages bundled.

import { setImmediate } from 'node:timers/promises'
import { type DevEnvironment, isCSSRequest } from 'vite'
import { importedSources } from '../folder/module-syntax.ts'
import { withoutQuery } from '../folder/source-paths.ts'

/**
 * Returns a function that receives the files of a rendered page, as keys of Vite's module graph, and resolves when browsers
 * may receive modules; it never rejects. Files that were received before are ignored. (Vite keeps the first key of a module
 * as its address: with another key an edit would give the module an address that no stack leads back to the file.)
 */
export function createShownPages(client: DevEnvironment): (files: readonly string[]) => Promise<void> {
  const shown = new Set<string>()
  let ready: Promise<void> | undefined
  return (files) => {
    const added = files.filter((file) => !shown.has(file))
    if (ready && added.length === 0) return ready
    for (const file of added) shown.add(file)
    ready = Promise.all([ready, transformAll(client, added)]).then(() => bundled(client))
    return ready
  }
}

/** Transforms modules and what they import statically. Vite notes the packages that they import. */
async function transformAll(client: DevEnvironment, files: readonly string[]): Promise<void> {
  const seen = new Set<string>()
  const visit = async (url: string): Promise<void> => {
    // Vite loads a package when it is bundled.
    if (seen.has(url) || isCSSRequest(url) || client.depsOptimizer?.isOptimizedDepUrl(url)) return
    seen.add(url)
    try {
      await client.transformRequest(url)
      await Promise.all((await staticImports(client, url)).map(visit))
    } catch {
      // The browser requests the module next: this request reports the error.
    }
  }
  await Promise.all(files.map(visit))
}

/** URLs of the modules that a transformed module imports when it is loaded. */
async function staticImports({ config, moduleGraph }: DevEnvironment, url: string): Promise<string[]> {
  const module = await moduleGraph.getModuleByUrl(url)
  const sources = importedSources(module?.transformResult?.code ?? '', 'module.js').map(withoutQuery)
  const imported = [...(module?.importedModules ?? [])].map((next) => next.url)
  return imported.filter((next) => sources.includes(config.base + withoutQuery(next).slice(1)))
}

/** Resolves when the packages that Vite has noted are bundled, or cannot be. */
async function bundled({ depsOptimizer }: DevEnvironment): Promise<void> {
  const noted = Object.values(depsOptimizer?.metadata.discovered ?? {})
  await Promise.all(noted.map(({ processing }) => processing))
  // In the same turn of the event loop Vite discards the modules that import the earlier bundles.
  await setImmediate()
}
