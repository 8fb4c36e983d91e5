// The modules of the site that its pages, handlers and actions load, found as the build finds them: through the same
// plugins, without running and without bundling a module (F2); and names that they import and no module exports.

import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { createServer, type Plugin, parseSync, transformWithOxc, type ViteDevServer } from 'vite'
import { authorError, type BuildError, type RefuseFault } from '../build-error.ts'
import { type BundleSources, isInPackage } from '../bundle-sources/bundle-sources.ts'
import { commonConfig, porticoPlugins, sitePlugins } from '../bundles/bundles.ts'
import { isShared } from '../framework-files.ts'
import { PACKAGES } from '../packages/packages.ts'
import { readableError, refusedImport } from '../readable-error.ts'
import {
  appRelative,
  childOf,
  childrenOf,
  declaredNames,
  findNode,
  importedNames,
  isJsx,
  isScript,
  type Node,
  nameAt,
  parseModule,
  readSource,
  withoutQuery,
} from '../source/source.ts'
import { removeTypeImports } from '../transforms/transforms.ts'

interface ImportedModule {
  importer: string
  /** Absolute path of the imported module. */
  target: string
  names: readonly string[]
}

/** Reads each imported module once. */
function createNameCheck(appDir: string, refuse: RefuseFault): (imported: ImportedModule) => void {
  const known = new Map<string, ReadonlySet<string> | undefined>()
  return ({ importer, target, names }) => {
    if (!known.has(target)) known.set(target, exportsOf(target))
    const exported = known.get(target)
    if (!exported) return
    for (const name of names) if (!exported.has(name)) refuse(refusedImport(importer, target, appDir, { name }))
  }
}

/** Undefined for a module whose exports are not all written in it: `export *`, CommonJS, or a module with a fault. */
function exportsOf(path: string): ReadonlySet<string> | undefined {
  const body = existsSync(path) ? parseModule(readFileSync(path, 'utf8'), path) : []
  const exports = body.filter(({ type, exportKind }) => /^Export/.test(type) && !isAllTypes(type, exportKind))
  if (exports.length === 0 || exports.some(({ type }) => type === 'ExportAllDeclaration')) return undefined
  return new Set(exports.flatMap(exportedNames))
}

/** `export type *`: a compiled module imports none of these names. */
function isAllTypes(type: string, exportKind: unknown): boolean {
  return type === 'ExportAllDeclaration' && exportKind === 'type'
}

function exportedNames(node: Node): string[] {
  if (node.type === 'ExportDefaultDeclaration') return ['default']
  return [...declaredNames(node), ...childrenOf(node, 'specifiers').flatMap((each) => nameAt(each, 'exported') ?? [])]
}

export interface SiteModule {
  path: string
  /** App-relative; begins with `..` outside of the app folder. */
  file: string
  code: string
  /** What the module imports, types excepted: the path of a file of the site, undefined for anything else. */
  imports: ReadonlyMap<string, string | undefined>
}

export interface SiteModules {
  /** By absolute path. */
  modules: ReadonlyMap<string, SiteModule>
  /** App-relative paths of the stylesheets that modules import. */
  styles: readonly string[]
}

interface ReadOptions {
  refuse: RefuseFault
  /** Whether an import that leads nowhere is refused. */
  isFault: (specifier: string) => boolean
}

/** Reads from the entries of all bundles. Passes on the faults of imports and of modules that cannot be parsed. */
export async function readSiteModules(sources: BundleSources, options: ReadOptions): Promise<SiteModules> {
  const { folder } = sources
  const resolver = await createResolver(sources, options)
  const checkNames = createNameCheck(folder.dir, options.refuse)
  const modules = new Map<string, SiteModule>()
  const styles = new Set<string>()
  const files = [...folder.pages, ...folder.screens, ...folder.apiRoutes].map(({ file }) => file)
  const { app, document, middleware, instrumentation, instrumentationClient } = folder
  const named = [app, document, middleware?.file, instrumentation, instrumentationClient]
  const own = named.filter((file) => file !== undefined)
  const queue = new Set([...files, ...own, ...folder.actionModules].map((file) => join(folder.dir, file)))
  try {
    // The loop also visits what it adds.
    for (const path of queue) {
      const code = await readSource(path)
      const imports = new Map<string, string | undefined>()
      for (const [specifier, names] of await importsOf(code, path, folder.dir, options.refuse)) {
        const found = await resolver.resolve(specifier, path)
        // The installed framework is a package, too.
        const isFramework = found !== undefined && isShared(found)
        const isFile = found !== undefined && isAbsolute(found) && existsSync(found)
        const isRead = isFile && (isFramework || !isInPackage(found)) && !AS_FILE.test(specifier)
        if (isRead && STYLES.test(found)) styles.add(appRelative(folder.dir, found))
        if (isRead && isScript(found)) checkNames({ importer: path, target: found, names })
        const target = isRead && (isScript(found) || found.endsWith('.mdx')) && !isFramework ? found : undefined
        imports.set(specifier, target)
        if (target !== undefined) queue.add(target)
      }
      modules.set(path, { path, file: appRelative(folder.dir, path), code, imports })
    }
    return { modules, styles: [...styles].sort() }
  } finally {
    await resolver.close()
  }
}

/** The address or the text of a file. */
const AS_FILE = /\?(url|raw)\b/
const STYLES = /\.(css|scss|sass|less|styl|stylus|pcss|postcss)$/

/** The names that a module imports, by specifier, when it is compiled: without types, and without what only types use. */
export async function importsOf(
  code: string,
  path: string,
  appDir: string,
  refuse: RefuseFault,
): Promise<ReadonlyMap<string, readonly string[]>> {
  try {
    const text = removeTypeImports(code, path)?.code ?? code
    const jsx = { runtime: 'automatic', development: false } as const
    const compiled = await transformWithOxc(text, path, isJsx(path) ? { lang: 'jsx', jsx } : { jsx })
    const body = parseModule(compiled.code, 'module.js')
    return new Map(body.flatMap(specifiersIn).map((specifier) => [specifier, namesOf(body, specifier)]))
  } catch (error) {
    refuse(parseFaultOf(code, path, appDir) ?? readableError(error, appDir))
    return new Map()
  }
}

/** Names of import declarations only: a re-export may be one of a type. */
function namesOf(body: readonly Node[], specifier: string): string[] {
  const imports = body.filter(({ type }) => type === 'ImportDeclaration')
  return [...importedNames(imports, specifier).names]
}

function parseFaultOf(code: string, path: string, appDir: string): BuildError | undefined {
  const [first] = parseSync(path, code, isJsx(path) ? { lang: 'jsx' } : {}).errors
  if (!first) return undefined
  const at = { code, offset: first.labels[0]?.start ?? 0 }
  return authorError({ file: appRelative(appDir, path), at, rule: `cannot be parsed: ${first.message}` })
}

/** The literals of imports, re-exports, `import()` and `require()` in a statement. */
function specifiersIn(statement: Node): string[] {
  const found = new Set<string>()
  const add = (node: Node | undefined) => {
    if (node?.type === 'Literal' && typeof node.value === 'string') found.add(node.value)
  }
  add(childOf(statement, 'source'))
  findNode(statement, (node) => {
    if (node.type === 'ImportExpression') add(childOf(node, 'source'))
    if (node.type === 'CallExpression' && childOf(node, 'callee')?.name === 'require') add(childOf(node, 'arguments'))
    return false
  })
  return [...found]
}

interface Resolver {
  /** The path of a module, or another id; undefined for an import that is refused. */
  resolve(specifier: string, importer: string): Promise<string | undefined>
  close(): Promise<void>
}

/** Resolves as the server bundle does, with the site's own plugins. */
async function createResolver(sources: BundleSources, { refuse, isFault }: ReadOptions): Promise<Resolver> {
  const { folder, config } = sources
  const start = (own: Plugin[]) =>
    createServer({
      ...commonConfig(sources),
      plugins: [...porticoPlugins(folder.dir, () => sources).filter(({ name }) => name !== PACKAGES), ...own],
      optimizeDeps: { noDiscovery: true, include: [] },
      appType: 'custom',
      server: { middlewareMode: true, ws: false, hmr: false, watch: null },
      ssr: { noExternal: true },
    })
  let server: ViteDevServer
  try {
    server = await start(await sitePlugins(config, { bundle: 'server', dev: false }))
  } catch (error) {
    // A plugin that throws, or that sets what only Portico sets: the other faults are found without it.
    refuse(readableError(error, folder.dir))
    server = await start([])
  }
  const { pluginContainer } = server.environments.ssr
  return {
    async resolve(specifier, importer) {
      try {
        const found = await pluginContainer.resolveId(specifier, importer)
        if (found) return withoutQuery(found.id)
        if (isFault(specifier)) refuse(refusedImport(importer, specifier, folder.dir))
      } catch (error) {
        refuse(readableError(error, folder.dir))
      }
      return undefined
    },
    close: () => server.close(),
  }
}
