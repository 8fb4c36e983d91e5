// Server code in the browser bundle (F2): each import of server code becomes its own stub without effects. Tree shaking
// removes an import that nothing uses, and server-code-findings.ts finds the stubs that are still there.
// Guarantees: no module of the server and no value of the environment is sent to a browser, and each import that would is
// named with its chain from a page.
// Leaves data functions to transforms, and which files are server code to bundle-sources.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { builtinModules, isBuiltin } from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import { REACT_PACKAGES } from '@portico/shared/wire/bundles.ts'
import type { Plugin } from 'vite'
import {
  type BundleSources,
  CLIENT_ONLY,
  isInPackage,
  isLeftOut,
  isMarker,
  isNativePackage,
  isNodeSpecifier,
  isServerFile,
  isSiteModule,
  labelOf,
  packageOf,
  SERVER_ONLY,
} from '../bundle-sources/bundle-sources.ts'
import type { SiteConfig } from '../config/config.ts'
import { isShared } from '../framework-files.ts'
import { exportsFault } from '../readable-error.ts'
import {
  appRelative,
  exportedSources,
  importedNames,
  isScript,
  namesOfModule,
  parseModule,
  withoutQuery,
} from '../source/source.ts'
import { NAMES_GLOBALS, NODE_GLOBAL, nodeGlobalsIn, replaceNodeGlobals } from './node-globals.ts'
import { type BrowserOutput, readFindings, readPublished } from './server-code-findings.ts'
import { buildStub, devStub, globalTarget, type ServerImport, STUB_PREFIX } from './stubs.ts'

export { globalsOf, isWritten, nodeGlobals, nodeGlobalsIn, PROCESS_ENV } from './node-globals.ts'
export { serverCodeNotes } from './server-code-findings.ts'
export { globalRule, STUB_PREFIX, undefinedRule } from './stubs.ts'

const EMPTY = '\0portico:empty'
const IS_BUILTIN = new RegExp(`^(?:node:.+|${builtinModules.join('|')})$`)
const IS_STUB = new RegExp(`^${STUB_PREFIX}`)

export function serverCode(appDir: string, sources: () => BundleSources): Plugin {
  const stubs = new Map<string, ServerImport>()
  const stubOf = (entry: ServerImport) => {
    // App-relative: equal sources give equal chunks on every machine.
    const id = stubId(entry, appRelative(appDir, entry.importer))
    stubs.set(id, entry)
    return { id, moduleSideEffects: entry.isBare && entry.kind === 'own' }
  }
  return {
    name: 'portico:server-code',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      const isBrowser = this.environment.config.consumer === 'client'
      if (source === CLIENT_ONLY || (source === SERVER_ONLY && !isBrowser)) return EMPTY
      if (!isBrowser || importer === undefined || source.startsWith('\0') || REACT_PACKAGES.test(source))
        return undefined
      const path = withoutQuery(importer)
      if (isShared(path) || path.startsWith('\0')) return undefined
      const global = globalTarget(source)
      if (global !== undefined) {
        // node-globals.ts provides it.
        if (source.startsWith(NODE_GLOBAL) && (sources().next.hasNodeGlobals || isInPackage(path))) return undefined
        return stubOf(globalImport(source, global, path, sources()))
      }
      // Development bundles packages in advance, without this plugin.
      const isSuspect = isMarker(source) || isNodeSpecifier(source)
      if (isInPackage(path) && (!isSuspect || this.environment.mode === 'dev')) return undefined
      const isKnown = source === SERVER_ONLY || isNativePackage(source, path)
      const resolved = isKnown
        ? null
        : await this.resolve(source, importer, { ...options, skipSelf: true }).catch((error: unknown) => {
            throw exportsFault(path, source, appDir) ?? error
          })
      const target = isKnown ? source : targetOf(sources(), source, path, resolved?.id)
      if (target === undefined) return resolved
      const entry: ServerImport = {
        importer: path,
        specifier: source,
        target,
        kind: kindOf(source, path, sources()),
        ...(await importOf(source, path, resolved?.id, options.kind ?? '', (...given) => this.resolve(...given))),
      }
      return stubOf(entry)
    },
    transform: {
      filter: { code: NAMES_GLOBALS },
      handler(code, id) {
        const path = withoutQuery(id)
        if (this.environment.config.consumer !== 'client' || !isSiteModule(path)) return undefined
        return replaceNodeGlobals(code, path, sources().next)
      },
    },
    load(id) {
      if (id === EMPTY) return 'export {}'
      const entry = stubs.get(id)
      if (!entry) return undefined
      return this.environment.mode === 'dev' ? devStub(entry, appDir) : buildStub(entry, id)
    },
    generateBundle(_options, bundle) {
      if (this.environment.config.consumer !== 'client') return
      const output: BrowserOutput = { bundle, stubs, infoOf: (id) => this.getModuleInfo(id) }
      const { serverCode, next } = sources()
      serverCode.push(...readFindings(appDir, output), ...readPublished(appDir, bundle, next))
    },
  }
}

/**
 * The plugin for packages that development bundles in advance: stubs for the packages in `browserStubs`. Its name
 * contains them, because Vite keeps its bundles until the configuration changes.
 */
export function stubsOfPackages({ browserStubs }: SiteConfig): Plugin {
  const stubs = new Map<string, ServerImport>()
  return {
    name: `portico:stubs-of-packages:${browserStubs.join()}`,
    resolveId: {
      // Without it the bundler would call the hook for each import of each package.
      filter: { id: IS_BUILTIN },
      async handler(source, importer, options) {
        const name = importer && packageOf(importer)
        if (!name || !browserStubs.includes(name)) return undefined
        const resolved = await this.resolve(source, importer, { ...options, skipSelf: true })
        // The bundler's name for a builtin that no `browser` field replaces.
        if (!resolved?.id.startsWith('browser-external:')) return resolved
        const found = await importOf(source, importer, undefined, options.kind ?? '', async () => null)
        const entry: ServerImport = { importer, specifier: source, target: source, kind: 'silent', ...found }
        const id = stubId(entry, importer)
        stubs.set(id, entry)
        return { id, moduleSideEffects: false }
      },
    },
    load: {
      filter: { id: IS_STUB },
      handler(id) {
        const entry = stubs.get(id)
        return entry && buildStub(entry, id)
      },
    },
  }
}

/** The import in the place of a global of Node. */
function globalImport(specifier: string, target: string, importer: string, { next }: BundleSources): ServerImport {
  const code = isScript(importer) && existsSync(importer) ? readFileSync(importer, 'utf8') : ''
  return {
    importer,
    specifier,
    target,
    // A browser of Next.js has an empty object.
    kind: next.hasNodeGlobals ? 'environment' : 'own',
    names: ['default', 'Buffer'],
    isBare: false,
    start: nodeGlobalsIn(code, importer, next).get(specifier),
  }
}

function kindOf(specifier: string, importer: string, { config }: BundleSources): ServerImport['kind'] {
  const name = packageOf(importer)
  if (name === undefined || isMarker(specifier)) return 'own'
  return config.browserStubs.includes(name) ? 'silent' : 'package'
}

/** Name of an imported module if it is server code. */
function targetOf(
  { folder, next }: BundleSources,
  specifier: string,
  importer: string,
  resolved = '\0',
): string | undefined {
  const appDir = folder.dir
  // The resolver's name for a builtin that no `browser` field replaces by another module.
  if (resolved.startsWith('__vite-browser-external'))
    return isBuiltin(specifier) && !isLeftOut(appDir, importer, specifier) ? specifier : undefined
  const path = withoutQuery(resolved)
  if (!isAbsolute(path)) return undefined
  const isServer =
    path.endsWith('.node') ||
    isServerFile(appDir, path, next) ||
    (next.hasServerNames && isLinked(appDir, specifier, importer, path))
  return isServer ? labelOf(appDir, path) : undefined
}

/** Whether a relative specifier leads through a symbolic link in the folder `server/` to a file of another folder. */
function isLinked(appDir: string, specifier: string, importer: string, path: string): boolean {
  const written = specifier.startsWith('.') ? appRelative(appDir, join(dirname(importer), specifier)) : ''
  return written.startsWith('server/') && appRelative(appDir, path).startsWith('../')
}

function stubId(entry: ServerImport, importer: string): string {
  const key = JSON.stringify({ ...entry, importer })
  return STUB_PREFIX + createHash('sha256').update(key).digest('hex').slice(0, 16)
}

type Resolve = (source: string, importer: string) => Promise<{ id: string } | null>

/** What an importer takes from a module. An importer that is no JavaScript, such as Markdown, takes any name. */
async function importOf(
  specifier: string,
  importer: string,
  target: string | undefined,
  kind: string,
  resolve: Resolve,
): Promise<Pick<ServerImport, 'names' | 'isBare' | 'start'>> {
  const isReadable = isScript(importer) && existsSync(importer)
  const found = isReadable ? importedNames(parseModule(readFileSync(importer, 'utf8'), importer), specifier) : undefined
  const isStatic = kind !== 'dynamic-import' && kind !== 'require-call'
  // Another plugin may have written the import.
  const isWritten = found?.start !== undefined && !found.isAll && isStatic
  const all = isWritten ? [] : await namesOf(specifier, target, resolve)
  const names = new Set(['default', ...(found?.names ?? []), ...all])
  return {
    names: [...names].sort(),
    isBare: !isStatic || found?.isBare === true,
    start: found?.start,
  }
}

/** All names that a builtin or a server module of the site exports, those of its `export *` included. */
async function namesOf(
  specifier: string,
  target: string | undefined,
  resolve: Resolve,
  seen: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const builtin = specifier.replace(/^node:/, '')
  if (builtinModules.includes(builtin)) return Object.keys(process.getBuiltinModule(builtin) ?? {})
  if (target === undefined || !isScript(target) || isInPackage(target) || !existsSync(target) || seen.has(target))
    return []
  const body = parseModule(readFileSync(target, 'utf8'), target)
  const known = new Set([...seen, target])
  const further = exportedSources(body).map(async (source) =>
    namesOf(source, (await resolve(source, target))?.id, resolve, known),
  )
  return [...namesOfModule(body), ...(await Promise.all(further)).flat()]
}
