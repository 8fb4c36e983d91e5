// Packages in server code under development. Vite transforms packages that are ES modules, as in a build: they may import
// stylesheets, JSON and the framework. Node loads CommonJS packages, because Vite cannot run CommonJS.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { NEXT_MODULES } from '@portico/shared/wire/bundles.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { type Plugin, parseSync } from 'vite'
import { parseJsonObject } from '../../json-object.ts'
import { NEXT_NAMES, nextFile } from '../../next/names/next-modules.ts'

const PREFIX = '\0portico-commonjs:'
/** For importers that follow the `__esModule` convention of transpilers: `default` is the property of that name. */
const TRANSPILED = '\0portico-commonjs-transpiled:'
const PACKAGE_SCRIPT = /[\\/]node_modules[\\/].*\.c?js$/
const RELATIVE = /^[./\0]/

/** Modules of Next.js for packages that Node loads: set before the package is loaded. */
const NEXT = '\0portico-next-modules'

/** `isNext`: compatibility mode, in which packages may require modules of Next.js. */
export function nativePackages(isNext: () => boolean): Plugin {
  const formats = createModuleFormats()
  return {
    name: 'portico:native-packages',
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'server',
    async resolveId(source, importer, options) {
      if (source === NEXT) return NEXT
      if (RELATIVE.test(source) && !importer?.includes('/node_modules/')) return undefined
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
      if (!resolved || resolved.external || !PACKAGE_SCRIPT.test(resolved.id) || !formats.isCommonJs(resolved.id))
        return resolved
      return (importer === undefined || formats.isNodeModule(importer) ? PREFIX : TRANSPILED) + resolved.id
    },
    load(id) {
      if (id === NEXT) return nextModules()
      const prefix = [PREFIX, TRANSPILED].find((each) => id.startsWith(each))
      if (!prefix) return undefined
      const path = id.slice(prefix.length)
      const file = JSON.stringify(path)
      const isDefaultInside = prefix === TRANSPILED ? "native?.__esModule && 'default' in native" : 'false'
      return [
        ...(isNext() && namesNext(path) ? [`import ${JSON.stringify(NEXT)}`] : []),
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

function nextModules(): string {
  const files = [...new Set(NEXT_NAMES.map((name) => nextFile(name)))]
  const imports = files.map((file, index) => `import * as module${index} from ${JSON.stringify(file)}`)
  const members = NEXT_NAMES.map((name) => `  ${JSON.stringify(name)}: module${files.indexOf(nextFile(name))},`)
  return `${imports.join('\n')}\nglobalThis[Symbol.for(${JSON.stringify(NEXT_MODULES.description)})] = {\n${members.join('\n')}\n}\n`
}

/** Whether the module, or a module of its package, may require Next.js. React must not: the modules import React. */
function namesNext(file: string): boolean {
  if (/['"](next\/|styled-jsx)/.test(readFileSync(file, 'utf8'))) return true
  const manifest = packageFile(dirname(file))
  const fields = ['peerDependencies', 'dependencies', 'devDependencies', 'optionalDependencies']
  return fields.some((field) => {
    const names = manifest[field]
    return isRecord(names) && ['next', 'styled-jsx'].some((name) => Object.hasOwn(names, name))
  })
}

/** The package.json that names the package; a folder inside of the package may have another one. */
function packageFile(dir: string): Record<string, unknown> {
  const file = join(dir, 'package.json')
  const found = existsSync(file) ? parseJsonObject(readFileSync(file, 'utf8'), file) : {}
  return typeof found.name === 'string' || dirname(dir) === dir ? found : packageFile(dirname(dir))
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
