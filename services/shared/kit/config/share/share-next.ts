// CommonJS packages under development that require modules of Next.js receive those of Portico, as in a build (X1).

import { registerHooks } from 'node:module'
import { NEXT_MODULES } from '../../../wire/bundles.ts'

type Modules = Readonly<Record<string, object>>
/** Set by the module that native-packages.ts writes, before Node loads such a package. */
type Shared = { [NEXT_MODULES]?: Modules }

const PREFIX = 'portico-next:'
const NAME = /^(next(\/.*)?|styled-jsx(\/(style|css)(\.js)?)?)$/

/** Changes nothing until a site of Next.js loads such a package. Returns a function that ends it. */
export function shareNext(): () => void {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const isOurs = shared() !== undefined && NAME.test(specifier) && context.conditions.includes('require')
      if (!isOurs) return next(specifier, context)
      return { url: PREFIX + specifier.replace(/\.js$/, ''), format: 'commonjs', shortCircuit: true }
    },
    load(url, context, next) {
      if (!url.startsWith(PREFIX)) return next(url, context)
      const name = JSON.stringify(url.slice(PREFIX.length))
      const source = `module.exports = globalThis[Symbol.for('portico.next-view')](${name})`
      return { format: 'commonjs', source, shortCircuit: true }
    },
  })
  Object.assign(globalThis, { [Symbol.for('portico.next-view')]: viewOf })
  return () => hooks.deregister()
}

function shared(): Modules | undefined {
  return (globalThis as Shared)[NEXT_MODULES]
}

/** The module as transpiled code reads it; one that Portico does not have fails when it is used, as in a build. */
function viewOf(name: string): object {
  const module = shared()?.[name]
  return new Proxy(module ?? {}, {
    get(target, key) {
      if (key === '__esModule') return true
      if (module || typeof key === 'symbol') return Reflect.get(target, key)
      throw new Error(`"${name}" is not part of Portico; a CommonJS package uses ${key} of it`)
    },
  })
}
