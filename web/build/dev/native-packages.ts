// Packages in server code under development. What is written as modules goes the way of the app folder's own files, as
// in a build: it may import stylesheets, JSON and the framework. CommonJS is Node's, which alone can run it.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { type Plugin, parseSync } from 'vite'
import { parseAuthorsJson } from '../folder/app-folder.ts'

const PREFIX = '\0portico-commonjs:'
/** What importers in the form of transpilers expect of `default`. */
const TRANSPILED = '\0portico-commonjs-transpiled:'
const PACKAGE_SCRIPT = /[\\/]node_modules[\\/].*\.c?js$/
const RELATIVE = /^[./\0]/

export function nativePackages(): Plugin {
  /** By absolute path of a file, and of a folder: packages stay what they are while the server runs. */
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
  /** By Node's rule, which bundlers follow where a module imports CommonJS. */
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
        // What Vite makes of `export *`: which names there are is known when it has run.
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
