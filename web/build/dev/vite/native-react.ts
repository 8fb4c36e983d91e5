// React under development: every importer gets the framework's copy. In server code Node loads React, because it is
// CommonJS, which Vite's module runner cannot run.

import { createRequire } from 'node:module'
import { REACT_PACKAGES } from '@portico/shared/wire/bundles.ts'
import type { Plugin } from 'vite'
import type { BundleSources } from '../../bundles/bundle-sources.ts'
import { RUNTIME_FILES } from '../../framework-files.ts'

const PREFIX = '\0portico-native:'
const require = createRequire(RUNTIME_FILES.index)

export function nativeReact(sources: () => BundleSources): Plugin {
  return {
    name: 'portico:native-react',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'server',
    resolveId(source, importer) {
      if (!REACT_PACKAGES.test(source)) return undefined
      if (importer) sources().react.note(source, importer)
      return PREFIX + require.resolve(source)
    },
    load(id) {
      if (!id.startsWith(PREFIX)) return undefined
      const file = id.slice(PREFIX.length)
      // React's packages define all their exports when they load.
      const native: object = require(file)
      const names = Object.keys(native).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name))
      const lines = names.map((name) => `export const ${name} = native[${JSON.stringify(name)}]`)
      return [
        `import { createRequire } from 'node:module'`,
        `const native = createRequire(${JSON.stringify(file)})(${JSON.stringify(file)})`,
        'export default native',
        ...lines.filter((line) => !line.startsWith('export const default ')),
      ].join('\n')
    },
  }
}

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
