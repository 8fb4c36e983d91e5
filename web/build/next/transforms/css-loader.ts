// The loader of webpack that `turbopack.rules` of next.config.* names for stylesheets, as a plugin of Vite: Tailwind's
// loaders need few members of webpack's context.

import { isCSSRequest, type Plugin } from 'vite'
import { withoutQuery } from '../../folder/source-paths.ts'
import { importFunction, loadError } from '../app-packages.ts'
import type { CssLoader, NextSettings } from '../fields/next-settings.ts'

/** What a loader finds as `this`. */
interface LoaderContext {
  async(): (error: unknown, code?: unknown) => void
  getOptions(): Record<string, unknown>
  addDependency(file: string): void
  addContextDependency(folder: string): void
  mode: 'development' | 'production'
  resource: string
  resourcePath: string
  rootContext: string
}

export function cssLoader(appDir: string, settings: () => NextSettings): Plugin {
  return {
    name: 'portico:css-loader',
    enforce: 'pre',
    async transform(code, id) {
      const loader = settings().cssLoader
      const path = withoutQuery(id)
      if (!loader || !path.endsWith('.css') || !isCSSRequest(id) || IS_SCRIPT.test(id)) return undefined
      const run = await importLoader(appDir, loader)
      const compiled = await new Promise<unknown>((resolve, reject) => {
        const context: LoaderContext = {
          async: () => (error, result) => (error ? reject(error) : resolve(result)),
          // Next.js runs in the folder of the app.
          getOptions: () => ({ base: appDir, ...loader.options }),
          // Vite follows files; style-sources.ts has stylesheets follow files that are added.
          addDependency: (file) => this.addWatchFile(file),
          addContextDependency() {},
          mode: this.environment.mode === 'dev' ? 'development' : 'production',
          resource: id,
          resourcePath: path,
          rootContext: appDir,
        }
        Promise.resolve(run.call(context, code)).catch(reject)
      })
      return { code: String(compiled), map: null }
    },
  }
}

/** Queries for which the module is not the stylesheet. */
const IS_SCRIPT = /[?&](raw|url|commonjs-proxy)\b/

async function importLoader(appDir: string, { name }: CssLoader) {
  try {
    return await importFunction(appDir, name)
  } catch (cause) {
    throw loadError('turbopack.rules of the configuration of Next.js', name, cause)
  }
}
