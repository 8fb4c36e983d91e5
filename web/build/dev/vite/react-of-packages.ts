// React of packages that Vite bundles for the browser in advance: every importer gets the framework's copy.

import { createRequire } from 'node:module'
import { REACT_PACKAGES } from '@portico/shared/wire/bundles.ts'
import type { Plugin } from 'vite'
import { RUNTIME_FILES } from '../../framework-files.ts'

const require = createRequire(RUNTIME_FILES.index)

/**
 * The React plugin has Vite bundle the React of the app folder in advance, where the folder has one: dev-vite.ts
 * registers the framework's copy under the same names.
 */
export function registeredReact(): Plugin {
  return {
    name: 'portico:registered-react',
    enforce: 'post',
    config(config) {
      const { optimizeDeps = {} } = config
      optimizeDeps.include = optimizeDeps.include?.filter((name) => !REACT_PACKAGES.test(name)) ?? []
    },
  }
}

/** Resolves React for the packages that Vite bundles for the browser in advance. */
export function reactOfPackages(): Plugin {
  return {
    name: 'portico:react-of-packages',
    resolveId: {
      filter: { id: REACT_PACKAGES },
      // Without an importer the source is the path of such a package itself.
      handler: (source, importer) => (importer ? require.resolve(source) : undefined),
    },
  }
}
