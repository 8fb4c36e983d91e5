// The stylesheets that documents link under development: those that production links for the page, in the same order.

import { join } from 'node:path'
import { type DevEnvironment, type EnvironmentModuleNode, isCSSRequest } from 'vite'
import type { ModuleRunner } from 'vite/module-runner'
import { importedSources, readSource, withoutQuery } from '../source/source.ts'
import { stylesInOrder } from '../styles/styles.ts'
import { strip } from '../transforms/transforms.ts'

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
/** Imports of a stylesheet's text or address: no part of the page's styles. */
const IS_VALUE = /[?&](inline|raw|url)\b/

export function createLinkedStyles({ environment, runner, appDir, base }: LinkedStylesOptions) {
  const linked = new Set<string>()
  return {
    /** URLs of the stylesheets of a page or of `_app` (app-relative path), which must be loaded. */
    async stylesOf(file: string): Promise<string[]> {
      const styles = await stylesBelow(environment, join(appDir, file))
      const urls = new Set(styles.map(({ url }) => base + withoutQuery(url).slice(1) + DIRECT))
      for (const url of urls) linked.add(url)
      return [...urls]
    },
    /** Ids of these stylesheets, by which Vite's client names the elements that it adds to the page. */
    async styleIdsOf(file: string): Promise<string[]> {
      const styles = await stylesBelow(environment, join(appDir, file))
      return styles.flatMap(({ id }) => id ?? [])
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

/** The stylesheets that a file imports statically. */
async function stylesBelow(environment: DevEnvironment, file: string): Promise<EnvironmentModuleNode[]> {
  const modules = [...(environment.moduleGraph.getModulesByFile(file) ?? [])]
  const imports = await Promise.all(modules.map((module) => browserImports(environment, module)))
  const styles = stylesInOrder(imports.flat(), ({ url }) => isCSSRequest(url), staticImports)
  return styles.filter(({ url }) => !IS_VALUE.test(url))
}

/** The modules that a module imports when it is loaded. Code that is loaded at first use loads its own stylesheets. */
function staticImports({ importedModules, transformResult }: EnvironmentModuleNode): EnvironmentModuleNode[] {
  const { deps = [], dynamicDeps = [] } = transformResult ?? {}
  const late = new Set(dynamicDeps).difference(new Set(deps))
  return [...importedModules].filter(({ url }) => !late.has(url))
}

/** The static imports of a page that remain without its data functions. */
async function browserImports(
  { pluginContainer }: DevEnvironment,
  module: EnvironmentModuleNode,
): Promise<EnvironmentModuleNode[]> {
  const { file } = module
  const imports = staticImports(module)
  const code = file === null ? undefined : await readSource(file)
  const stripped = code === undefined ? undefined : strip(code, file!)
  if (!stripped) return imports
  const left = importedSources(stripped.code, file!).map((source) => pluginContainer.resolveId(source, file!))
  const ids = new Set((await Promise.all(left)).map((resolved) => resolved?.id))
  return imports.filter(({ id }) => id !== null && ids.has(id))
}
