// Packages in server code under development. Vite transforms packages that are ES modules, as in a build: they may import
// stylesheets, JSON and the framework. Node loads CommonJS packages, because Vite cannot run CommonJS.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { type Plugin, parseSync } from 'vite'
import { parseJsonObject } from '../../json-object.ts'

const PREFIX = '\0portico-commonjs:'
/** For importers that follow the `__esModule` convention of transpilers: `default` is the property of that name. */
const TRANSPILED = '\0portico-commonjs-transpiled:'
const PACKAGE_SCRIPT = /[\\/]node_modules[\\/].*\.c?js$/
const RELATIVE = /^[./\0]/

export function nativePackages(): Plugin {
  const formats = createModuleFormats()
  return {
    name: 'portico:native-packages',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'server',
    async resolveId(source, importer, options) {
      if (RELATIVE.test(source) && !importer?.includes('/node_modules/')) return undefined
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
      if (!resolved || resolved.external || !PACKAGE_SCRIPT.test(resolved.id) || !formats.isCommonJs(resolved.id))
        return resolved
      return (importer === undefined || formats.isNodeModule(importer) ? PREFIX : TRANSPILED) + resolved.id
    },
    load(id) {
      const prefix = [PREFIX, TRANSPILED].find((each) => id.startsWith(each))
      if (!prefix) return undefined
      const file = JSON.stringify(id.slice(prefix.length))
      const isDefaultInside = prefix === TRANSPILED ? "native?.__esModule && 'default' in native" : 'false'
      return [
        `import { createRequire } from 'node:module'`,
        `const native = createRequire(${file})(${file})`,
        // Vite's form of `export *`: the names are known only after the module has run.
        '__vite_ssr_exportAll__(native)',
        `const isDefaultInside = ${isDefaultInside}`,
        'export default isDefaultInside ? native.default : native',
      ].join('\n')
    },
  }
}

/** Remembers formats by absolute path: packages do not change while the server runs. */
function createModuleFormats() {
  const isModuleFolder = remember((dir): boolean => {
    const file = join(dir, 'package.json')
    if (existsSync(file)) return parseJsonObject(readFileSync(file, 'utf8'), file).type === 'module'
    return dirname(dir) !== dir && isModuleFolder(dirname(dir))
  })
  /** Node's rule for ES modules, which bundlers follow for modules that import CommonJS. */
  const isNodeModule = (file: string) => /\.m[jt]s$/.test(file) || isModuleFolder(dirname(file))
  return {
    isNodeModule,
    isCommonJs: remember((file) => extname(file) === '.cjs' || !(isNodeModule(file) || hasModuleSyntax(file))),
  }
}

function remember(decide: (path: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>()
  return (path) => {
    const decision = known.get(path) ?? decide(path)
    known.set(path, decision)
    return decision
  }
}

function hasModuleSyntax(file: string): boolean {
  const code = readFileSync(file, 'utf8')
  return /\b(import|export)\b/.test(code) && parseSync(file, code, { lang: 'jsx' }).module.hasModuleSyntax
}
