// React in server code under development: the framework's own copy, loaded by Node as it is, whoever imports it. The
// development server runs modules one by one, and React is not written in a form for that.

import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'
import { RUNTIME_FILES } from './bundle-config.ts'

const REACT = /^(react|react-dom|scheduler)(\/|$)/
const PREFIX = '\0portico-native:'
const require = createRequire(RUNTIME_FILES.index)

/** The packages of NATIVE must not be left to Node: it would look for them beside the app folder. */
export const NATIVE = ['react', 'react-dom', 'scheduler', 'portico']

export function nativeReact(): Plugin {
  return {
    name: 'portico:native-react',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'server',
    resolveId: (source) => (REACT.test(source) ? PREFIX + require.resolve(source) : undefined),
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

/** Packages of the app folder that import React get the same copy. */
export function shareReactWithPackages(): void {
  const parentURL = pathToFileURL(RUNTIME_FILES.index).href
  registerHooks({
    resolve: (specifier, context, next) => next(specifier, REACT.test(specifier) ? { ...context, parentURL } : context),
  })
}
