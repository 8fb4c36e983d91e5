// `portico/testing/vitest`: the plugin for the vitest.config.ts of a site.

import { testPlugins } from '@portico/build/test-plugins.ts'

/**
 * The vitest plugin that runs tests of a site on its sources: `portico` and React are those of the framework, modules are
 * transformed as in a build, and `portico/testing` knows the pages, actions and settings of the folder.
 *
 * @example
 * ```ts
 * // vitest.config.ts
 * import { portico } from 'portico/testing/vitest'
 * import { defineConfig } from 'vitest/config'
 *
 * export default defineConfig({ plugins: [portico()] })
 * ```
 *
 * @param options.dir the app folder; default: the working directory
 */
export function portico({ dir = process.cwd() }: { dir?: string } = {}): Promise<{ name: string }[]> {
  return testPlugins(dir)
}
