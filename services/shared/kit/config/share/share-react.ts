// One React under development: packages of the app folder that import or require React receive the framework's copy, as
// in a build. A second copy would not share the first one's hooks.

import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { REACT_PACKAGES } from '../../../wire/bundles.ts'

/** Lasts for the rest of the process.
 * @param frameworkFile absolute path of a file of the framework, whose React it is
 */
export function shareReact(frameworkFile: string): void {
  const require = createRequire(frameworkFile)
  let isResolving = false
  registerHooks({
    resolve(specifier, context, next) {
      if (isResolving || !REACT_PACKAGES.test(specifier)) return next(specifier, context)
      isResolving = true
      try {
        // Node would look next to a package that requires React and ignore the parent: the file is named here.
        return { url: pathToFileURL(require.resolve(specifier)).href, format: 'commonjs', shortCircuit: true }
      } finally {
        isResolving = false
      }
    },
  })
}
