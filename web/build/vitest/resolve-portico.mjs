// Resolves `portico` and `vitest` for the vitest.config.ts of an app folder without these packages in its node_modules.

import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)

registerHooks({
  resolve(specifier, context, next) {
    if (!/^(portico|vitest)(\/|$)/.test(specifier)) return next(specifier, context)
    try {
      return next(specifier, context)
    } catch {
      return next(pathToFileURL(require.resolve(specifier)).href, context)
    }
  },
})
