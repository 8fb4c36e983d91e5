// Packages in server code stay in node_modules (F1): the plugin replaces the import of each by a module that has Node load
// it.
// Guarantees: one rule for builds, development and tests of sites; no package runs while a bundle is built; React and the
// framework are loaded once for each process.
// Leaves the decision to place-import.ts, and which files of packages an image needs to containers.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PACKAGE_SCHEME, REACT_PACKAGES } from '@portico/shared/wire/bundles.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { initSync, parse } from 'cjs-module-lexer'
import type { Plugin } from 'vite'
import type { BundleSources, LoadedPackage } from '../bundle-sources/bundle-sources.ts'
import { isShared, RUNTIME_FILES } from '../framework-files.ts'
import { folderWithFile, parseJsonObject } from '../package-json.ts'
import { exportsFault } from '../readable-error.ts'
import { appRelative, withoutQuery } from '../source/source.ts'
import { createNodeFiles, type NodeFiles, type Placement, placeImport } from './place-import.ts'

export {
  type ImportInBundle,
  LOADED_PACKAGES_FILE,
  loadedBy,
  readLoadedPackages,
  writeFrameworkCopy,
  writeLoadedPackages,
} from './bundle-files.ts'

initSync()

// The names that a CommonJS module exports, read from its text as Node reads them.

/** Without `default` and `__esModule`; empty for what is found only by running the module. */
export function exportedNamesOf(file: string, node: NodeFiles, seen: Set<string> = new Set()): Set<string> {
  const names = new Set<string>()
  if (seen.has(file) || !/\.c?js$/.test(file) || node.formatOf(file) !== 'commonjs') return names
  seen.add(file)
  let found: ReturnType<typeof parse>
  try {
    found = parse(readFileSync(file, 'utf8'))
  } catch {
    return names
  }
  for (const name of found.exports) names.add(name)
  for (const specifier of found.reexports) {
    const target = node.resolve(specifier, file, 'require')
    if (target !== undefined) for (const name of exportedNamesOf(target, node, seen)) names.add(name)
  }
  names.delete('default')
  names.delete('__esModule')
  return names
}

export const PACKAGES = 'portico:packages'

/** Begin of the ids of the modules that have Node load a package, and of those that `require` and `import()` load. */
const PREFIX = '\0portico-package:'
const AS_COMMONJS = '\0portico-package-commonjs:'
/** At the end: the modules are not of the kind that the ending of the file says. */
const END = ':'
const idFor = (prefix: string, name: string) => prefix + name + END
const nameIn = (prefix: string, id: string) => id.slice(prefix.length, -END.length)
/** Tests run in it: it loads itself. */
const RUNS_TESTS = /^(vite|vitest|@vitest\/[^/]+)(\/|$)/
const IMPORT_BY_NODE = join(import.meta.dirname, `import-by-node${extname(import.meta.filename)}`)
const require = createRequire(RUNTIME_FILES.index)

/** Kinds of placement that Vite transforms in development: the framework's own packages among them. */
const IN_SOURCES: ReadonlySet<Placement['kind']> = new Set(['bundled', 'framework'])

type InNodeModules = Extract<Placement, { file: string }>

export function packages(appDir: string, sources: () => BundleSources): Plugin {
  const node = createNodeFiles()
  const manifests = createManifests()
  const idOf = (specifier: string, placement: InNodeModules) => {
    const id = idFor(PREFIX, placement.file)
    const known = sources().packages.get(id)
    const isPlain = node.resolve(specifier, join(appDir, 'package.json'), placement.kind) === placement.file
    if (!known || (isPlain && known.name.startsWith(PACKAGE_SCHEME))) {
      const name = isPlain ? specifier : PACKAGE_SCHEME + encodeURI(appRelative(appDir, placement.file))
      sources().packages.set(id, {
        ...{ name, file: placement.file, by: placement.kind },
        moduleIds: placement.kind === 'import' ? [name] : [id, idFor(AS_COMMONJS, placement.file)],
      })
      if (manifests.usesReact(placement.file)) sources().react.note('react', placement.file)
    }
    return id
  }
  return {
    name: PACKAGES,
    enforce: 'pre',
    applyToEnvironment: ({ config }) => config.consumer === 'server',
    buildStart: () => node.forget(),
    async resolveId(source, importer, options) {
      if (source.startsWith(AS_COMMONJS)) return { id: source, moduleSideEffects: false }
      if (importer === undefined || source.startsWith('\0')) return undefined
      // What the modules below require.
      if (importer.startsWith(AS_COMMONJS)) return { id: source, external: true }
      const isDev = this.environment.mode === 'dev'
      const path = withoutQuery(importer)
      if (REACT_PACKAGES.test(source)) {
        sources().react.note(source, importer)
        const id = idFor(options.kind === 'require-call' ? AS_COMMONJS : PREFIX, source)
        return { id, moduleSideEffects: false }
      }
      // The framework's own packages are part of the bundle, as the framework is.
      if (isShared(path) && !isDev) return undefined
      const isInside = isDev && /^\./.test(source) && path.includes('/node_modules/')
      if (/^[./]/.test(source) && !isInside) return undefined
      const resolved = await this.resolve(source, importer, { ...options, skipSelf: true }).catch((error: unknown) => {
        throw exportsFault(path, source, appDir) ?? error
      })
      if (!resolved || resolved.external || RUNS_TESTS.test(source)) return resolved
      const file = withoutQuery(resolved.id)
      const found = placeImport({ specifier: source, importer: path, resolved: file }, settingsOf(sources()), node)
      const placement = isDev && IN_SOURCES.has(found.kind) ? nativeOf(file, found) : found
      if (placement.kind !== 'require' && placement.kind !== 'import') return resolved
      const id = idOf(source, placement)
      const moduleSideEffects = !manifests.isWithoutEffects(placement.file)
      if (isDev) return { id, moduleSideEffects }
      if (options.kind === 'require-call') return { id: idFor(AS_COMMONJS, placement.file), moduleSideEffects }
      if (placement.kind === 'require') return { id, moduleSideEffects }
      return { id: sources().packages.get(id)!.name, external: true, moduleSideEffects }
    },
    load(id) {
      const isDev = this.environment.mode === 'dev'
      if (id.startsWith(AS_COMMONJS)) {
        const name = nameIn(AS_COMMONJS, id)
        const specifier = sources().packages.get(idFor(PREFIX, name))?.name ?? name
        return { code: `module.exports = require(${JSON.stringify(specifier)})`, moduleType: 'js' }
      }
      if (!id.startsWith(PREFIX)) return undefined
      const name = nameIn(PREFIX, id)
      if (REACT_PACKAGES.test(name)) return reactModule(name, isDev)
      const loaded = sources().packages.get(id)
      if (!loaded) return undefined
      if (isDev) return devModule(loaded)
      return requiringModule(loaded.name, [...exportedNamesOf(loaded.file, node)], idFor(AS_COMMONJS, loaded.file))
    },
  }

  /** Vite's module runner runs no CommonJS: Node loads that of packages in any case. */
  function nativeOf(file: string, placement: Placement): Placement {
    const isNative = file.includes('/node_modules/') && /\.c?js$/.test(file) && node.formatOf(file) === 'commonjs'
    return isNative ? { kind: 'require', file } : placement
  }
}

function settingsOf({ config }: BundleSources) {
  return config
}

/** The default export is that of transpilers where the package was transpiled, whatever the importer is. */
const DEFAULT = "native?.__esModule && 'default' in native ? native.default : native"

/** `asCommonJs`: the same package as a CommonJS module, with the names that its text does not show. */
function requiringModule(name: string, names: readonly string[], asCommonJs: string | undefined): string {
  return [
    `import { createRequire } from 'node:module'`,
    `const native = createRequire(import.meta.url)(${JSON.stringify(name)})`,
    ...names.map((each, index) => `const ${localOf(each, index)} = native[${JSON.stringify(each)}]`),
    `export { ${names.map((each, index) => `${localOf(each, index)} as ${JSON.stringify(each)}`).join(', ')} }`,
    `export default ${DEFAULT}`,
    ...(asCommonJs === undefined ? [] : [`export * from ${JSON.stringify(asCommonJs)}`]),
  ].join('\n')
}

/** Readable in stacks and chunks. */
function localOf(name: string, index: number): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${name}$` : `name${index}`
}

/** React's packages define all their exports when they load. */
function reactModule(name: string, isDev: boolean): string {
  const file = require.resolve(name)
  const native: object = require(file)
  const names = Object.keys(native).filter((each) => each !== 'default')
  const code = requiringModule(isDev ? file : name, names, isDev ? undefined : idFor(AS_COMMONJS, name))
  return isDev ? code.replace('createRequire(import.meta.url)', `createRequire(${JSON.stringify(file)})`) : code
}

/** Vite's form of `export *`: the names are known only after the module has run. */
function devModule({ file, by }: LoadedPackage): string {
  const path = JSON.stringify(file)
  const url = JSON.stringify(pathToFileURL(file).href)
  const lines =
    by === 'require'
      ? [
          `import { createRequire } from 'node:module'`,
          `const native = createRequire(${path})(${path})`,
          '__vite_ssr_exportAll__(native)',
          `export default ${DEFAULT}`,
        ]
      : [
          `import { createRequire } from 'node:module'`,
          `const native = await createRequire(${path})(${JSON.stringify(IMPORT_BY_NODE)}).importByNode(${url})`,
          '__vite_ssr_exportAll__(native)',
          'export default native.default',
        ]
  return lines.join('\n')
}

function createManifests() {
  const known = new Map<string, Record<string, unknown>>()
  const read = (file: string): Record<string, unknown> => {
    const folder = folderWithFile(file) ?? ''
    const path = join(folder, 'package.json')
    const manifest = known.get(folder) ?? (existsSync(path) ? parseJsonObject(readFileSync(path, 'utf8'), path) : {})
    known.set(folder, manifest)
    return manifest
  }
  const names = (field: unknown) => (isRecord(field) ? Object.keys(field) : [])
  return {
    isWithoutEffects: (file: string) => read(file).sideEffects === false,
    usesReact: (file: string) => {
      const { dependencies, peerDependencies } = read(file)
      return [...names(dependencies), ...names(peerDependencies)].includes('react')
    },
  }
}
