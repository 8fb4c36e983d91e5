// The modules that replace server code in the browser bundle: one for each import of server code.

import { labelOf, SERVER_ONLY } from '../bundle-sources/bundle-sources.ts'
import { NODE_GLOBAL, PROCESS_ENV } from './node-globals.ts'

/** Begin of the module ids of stubs. */
export const STUB_PREFIX = '\0portico:server-code:'

/** One import of server code. */
export interface ServerImport {
  /** Absolute path of the importing module. */
  importer: string
  specifier: string
  /** Name of the imported module in messages. */
  target: string
  /**
   * own: the build refuses the import. package: a warning. silent: listed in `browserStubs`. environment: a warning, for
   * reading a variable in compatibility mode.
   */
  kind: 'own' | 'package' | 'silent' | 'environment'
  names: readonly string[]
  /** The import runs the module: no names, `import()` or `require`. */
  isBare: boolean
  /** Position of the import in the importer. */
  start: number | undefined
}

/** A stub of a build. The marker of an import of the site's own files is still in the minified chunk if it is used. */
export function buildStub({ kind, names, isBare, specifier }: ServerImport, id: string): string {
  if (kind === 'own') {
    const marker = JSON.stringify(markerOf(id))
    const effect = isBare ? `globalThis[${marker}] = 1\n` : ''
    return `${effect}const stub = /* @__PURE__ */ Symbol.for(${marker})\n${exportsOf(names)}`
  }
  if (kind === 'environment') {
    const empty = specifier === PROCESS_ENV ? ' ?? {}' : ''
    return `export default () => globalThis[${JSON.stringify(markerOf(id))}]${empty}`
  }
  const value = kind === 'silent' ? PERMISSIVE : '{}'
  // For `require`: the whole object of an ES module would be part of the chunk.
  if (isBare) return `const stub = ${value}\nmodule.exports = stub`
  return `const stub = ${value}\n${exportsOf(names, kind === 'silent' ? 'stub' : 'undefined')}`
}

/** For packages in `browserStubs`: may be called, extended and read, so that the package loads. */
const PERMISSIVE = `/* @__PURE__ */ new Proxy(function () {}, {
  get: (target, key) =>
    key === 'prototype' ? target.prototype : key === 'then' || typeof key === 'symbol' ? undefined : stub,
  apply: () => stub,
  construct: () => stub,
})`

function exportsOf(names: readonly string[], other = 'stub'): string {
  const rest = names.filter((name) => name !== 'default')
  const lines = rest.map(
    (name, index) => `const name${index} = ${other}\nexport { name${index} as ${JSON.stringify(name)} }`,
  )
  return ['export default stub', ...lines].join('\n')
}

/** Whether the code of a stub contains its marker. */
export function hasMarker({ kind }: ServerImport): boolean {
  return kind === 'own' || kind === 'environment'
}

/** Text in the code of a stub, by which findings recognise the stub after minification. */
export function markerOf(id: string): string {
  return id.slice(1)
}

/** The fault of using a global of Node; undefined for any other import. */
export function globalRule(specifier: string): string | undefined {
  const target = globalTarget(specifier)
  if (target === undefined) return undefined
  if (!specifier.startsWith(PROCESS_ENV)) return `uses ${target}, which no browser has; ${REMEDIES[target]}`
  const name = specifier.slice(PROCESS_ENV.length)
  const remedy = name
    ? `if every client may know it, declare ${name} in publicEnv of portico.config.ts and use publicEnv('${name}') of portico`
    : 'declare what every client may know in publicEnv of portico.config.ts and use publicEnv of portico'
  return `reads ${target}, but a browser has no environment; ${SERVER_SIDE}; ${remedy}`
}

const SERVER_SIDE = 'use this file in data functions, actions and API handlers only'

const REMEDIES: Readonly<Record<string, string>> = {
  process: 'use it in data functions, actions and API handlers only, or behind typeof window === "undefined"',
  Buffer:
    'use Uint8Array, TextEncoder, atob() and btoa(), or install the package buffer and import { Buffer } from "buffer"',
  global: 'write globalThis',
}

/** What reading a variable means in compatibility mode; undefined for any other import. */
export function undefinedRule(specifier: string): string | undefined {
  if (!specifier.startsWith(PROCESS_ENV)) return undefined
  const value = specifier === PROCESS_ENV ? 'empty' : 'undefined'
  return `reads ${globalTarget(specifier)}, which is ${value} in the browser, as in Next.js`
}

/** The expression that an import of replaceNodeGlobals is in the place of; undefined for any other import. */
export function globalTarget(specifier: string): string | undefined {
  if (specifier.startsWith(NODE_GLOBAL)) return specifier.slice(NODE_GLOBAL.length)
  if (!specifier.startsWith(PROCESS_ENV)) return undefined
  const name = specifier.slice(PROCESS_ENV.length)
  return name ? `process.env.${name}` : 'process.env'
}

/** A stub under development, without tree shaking: only its use is an error. */
export function devStub({ importer, target, names, specifier, isBare, kind }: ServerImport, appDir: string): string {
  // A module of both sides may read a variable that only the server uses; server-code-check.ts reports any other read.
  if (specifier.startsWith(PROCESS_ENV))
    return kind === 'environment' && specifier === PROCESS_ENV
      ? 'export default () => ({})'
      : 'export default () => undefined'
  const rule = globalRule(specifier) ?? `uses ${target}, which is server code, in the browser`
  const text = `${labelOf(appDir, importer)}: ${rule}`
  if (specifier === SERVER_ONLY && isBare) return 'export {}'
  return `const fail = () => { throw new Error(${JSON.stringify(text)}) }
// React's refresh reads these members of every export.
const plain = new Set(['prototype', '$$typeof', 'then', 'toJSON', 'compare', 'type', 'displayName', 'name', 'length'])
const stub = new Proxy(function () {}, {
  get: (target, key) => typeof key === 'symbol' || plain.has(key) ? target[key] : fail(),
  apply: fail,
  construct: fail,
})\n${exportsOf(names)}`
}
