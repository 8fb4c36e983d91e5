// React under development, the framework's own copy whoever imports it. In server code Node loads it as it is: the
// development server runs modules one by one, and React is not written in a form for that.

import { createRequire } from 'node:module'
import type { Plugin } from 'vite'
import { REACT_PACKAGES } from '../../../services/shared/wire/bundles.ts'
import { RUNTIME_FILES } from '../bundles/bundle-config.ts'

const PREFIX = '\0portico-native:'
const require = createRequire(RUNTIME_FILES.index)

export function nativeReact(): Plugin {
  return {
    name: 'portico:native-react',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'server',
    resolveId: (source) => (REACT_PACKAGES.test(source) ? PREFIX + require.resolve(source) : undefined),
    load(id) {
      if (!id.startsWith(PREFIX)) return undefined
      const file = id.slice(PREFIX.length)
      // React's packages are objects whose members are all there after loading.
      const names = Object.keys(require(file) as object).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name))
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

/** React of packages that are bundled for the browser before a page asks for them. */
export function reactOfPackages(): Plugin {
  return {
    name: 'portico:react-of-packages',
    resolveId: {
      filter: { id: REACT_PACKAGES },
      // Without an importer it is one of these packages itself.
      handler: (source, importer) => (importer ? require.resolve(source) : undefined),
    },
  }
}
