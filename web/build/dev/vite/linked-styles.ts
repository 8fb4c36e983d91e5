// The stylesheets that documents link under development.

import { join } from 'node:path'
import { type DevEnvironment, type EnvironmentModuleNode, isCSSRequest } from 'vite'
import type { ModuleRunner } from 'vite/module-runner'
import { withoutQuery } from '../../folder/source-paths.ts'

interface LinkedStylesOptions {
  /** The environment that has loaded the pages. */
  environment: DevEnvironment
  runner: ModuleRunner
  appDir: string
  /** Vite's base path. */
  base: string
}

/** End of a stylesheet's URL in a document; Vite's client loads the same stylesheet as a module. */
const DIRECT = '?direct'

export function createLinkedStyles({ environment, runner, appDir, base }: LinkedStylesOptions) {
  const linked = new Set<string>()
  return {
    /** URLs of the stylesheets that a file of the app folder imports, directly or indirectly. */
    stylesOf(file: string): string[] {
      const urls = stylesBelow(environment, join(appDir, file)).map((url) => base + url.slice(1) + DIRECT)
      for (const url of urls) linked.add(url)
      return urls
    },
    /** Text of a stylesheet by a URL of `stylesOf`; undefined for any other URL. */
    readStyle(url: string): Promise<string> | undefined {
      // SECURITY: serves linked stylesheets only: the server environment would read any stylesheet of the machine.
      if (!linked.has(url)) return undefined
      // Read in the server environment: in the client environment a change of the stylesheet would reload the page.
      const path = `/${url.slice(base.length, -DIRECT.length)}`
      return runner.import<{ default: unknown }>(`${path}?inline`).then((module) => String(module.default))
    },
  }
}

/** URLs without query of the stylesheets below a file, in import order, depth first, as in a build. */
function stylesBelow(environment: DevEnvironment, file: string): string[] {
  const styles = new Set<string>()
  const seen = new Set<EnvironmentModuleNode>()
  const visit = (module: EnvironmentModuleNode) => {
    if (seen.has(module)) return
    seen.add(module)
    if (isCSSRequest(module.url)) styles.add(withoutQuery(module.url))
    for (const next of module.importedModules) visit(next)
  }
  for (const module of environment.moduleGraph.getModulesByFile(file) ?? []) visit(module)
  return [...styles]
}
