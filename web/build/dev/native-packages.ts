// Packages in server code under development. Vite transforms packages that are ES modules, as in a build: they may import
// stylesheets, JSON and the framework. Node loads CommonJS packages, because Vite cannot run CommonJS.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { type Plugin, parseSync } from 'vite'
import { parseAuthorsJson } from '../folder/app-folder.ts'

const PREFIX = '\0portico-commonjs:'
/** For importers that follow the `__esModule` convention of transpilers: `default` is the property of that name. */
const TRANSPILED = '\0portico-commonjs-transpiled:'
const PACKAGE_SCRIPT = /[\\/]node_modules[\\/].*\.c?js$/
const RELATIVE = /^[./\0]/

export function nativePackages(): Plugin {
  /** By absolute path of a file or folder: packages do not change while the server runs. */
  const scripts = new Map<string, boolean>()
  const moduleFolders = new Map<string, boolean>()

  const isCommonJs = (file: string): boolean => {
    let isScript = scripts.get(file)
    if (isScript === undefined) {
      isScript = extname(file) === '.cjs' || !(isNodeModule(file) || hasModuleSyntax(file))
      scripts.set(file, isScript)
    }
    return isScript
  }
  /** Node's rule for ES modules, which bundlers follow for modules that import CommonJS. */
  const isNodeModule = (file: string): boolean => /\.m[jt]s$/.test(file) || isModuleFolder(dirname(file))
  const isModuleFolder = (dir: string): boolean => {
    let isModule = moduleFolders.get(dir)
    if (isModule === undefined) {
      const file = join(dir, 'package.json')
      if (existsSync(file)) isModule = parseAuthorsJson(readFileSync(file, 'utf8'), file).type === 'module'
      else isModule = dirname(dir) !== dir && isModuleFolder(dirname(dir))
      moduleFolders.set(dir, isModule)
    }
    return isModule
  }

  return {
    name: 'portico:native-packages',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'server',
    async resolveId(source, importer, options) {
      if (RELATIVE.test(source) && !importer?.includes('/node_modules/')) return undefined
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
      if (!resolved || resolved.external || !PACKAGE_SCRIPT.test(resolved.id) || !isCommonJs(resolved.id))
        return resolved
      return (importer === undefined || isNodeModule(importer) ? PREFIX : TRANSPILED) + resolved.id
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

function hasModuleSyntax(file: string): boolean {
  const code = readFileSync(file, 'utf8')
  return /\b(import|export)\b/.test(code) && parseSync(file, code, { lang: 'jsx' }).module.hasModuleSyntax
}
