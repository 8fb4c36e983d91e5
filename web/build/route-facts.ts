// What each route of a site is: the kind of data function that its page exports, its methods and its browser files, read
// from the sources before a build and under development, and from the bundler's output after it.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DataKind, isPerRequest, type PageEntry, type RouteFile } from '@portico/shared/wire/build-output.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import type { Rolldown } from 'vite'
import { kindsOfSources } from './active-adapter.ts'
import { attempt, authorError, type DocsSection, type RefuseFault } from './build-error.ts'
import type { BundleSources } from './bundle-sources/bundle-sources.ts'
import type { PageConfig } from './folder/folder.ts'
import { RUNTIME_FILES } from './framework-files.ts'
import { appRelative, exportOffset, namesOfModule, parseModule, readSource } from './source/source.ts'
import { strip } from './transforms/transforms.ts'

/** The members of a bundler's chunk that this file reads. */
type Chunk = Pick<Rolldown.OutputChunk, 'type' | 'fileName' | 'imports' | 'exports' | 'isEntry' | 'facadeModuleId'> & {
  viteMetadata?: { importedCss: Set<string> }
}
type Asset = Pick<Rolldown.OutputAsset, 'type' | 'fileName' | 'source' | 'originalFileNames'>
export type BundleOutput = readonly (Chunk | Asset)[]

/** Finds the files of the browser's entry and of each page; `fonts` are absolute paths of files that the head names. */
export function browserFiles(
  output: BundleOutput,
  appDir: string,
  fonts: ReadonlySet<string> = new Set(),
): { entry: RouteFiles; page: (file: string) => RouteFiles } {
  const chunks = chunksOf(output)
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const entry = chunks.find((chunk) => chunk.isEntry && chunk.facadeModuleId === RUNTIME_FILES.browserEntry)
  if (!entry) throw new Error('the browser bundle has no entry')
  const pages = new Map(
    chunks.filter((chunk) => chunk.isEntry).map((chunk) => [appRelative(appDir, chunk.facadeModuleId ?? ''), chunk]),
  )
  const fontsOf = fontFiles(output, new Set([...fonts].map((path) => appRelative(appDir, path))))
  const withFonts = (files: RouteFiles): RouteFiles => {
    const names = fontsOf(files.styles)
    return names.length > 0 ? { ...files, fonts: names } : files
  }
  const start = filesOf(entry, byName)
  const deferred = chunks.find((chunk) => chunk.facadeModuleId === RUNTIME_FILES.deferred)
  return {
    entry: { ...withFonts(start), ...(deferred && { deferred: deferred.fileName }) },
    page(file) {
      const chunk = pages.get(file)
      if (!chunk) throw new Error(`${file}: the browser bundle has no chunk for this page`)
      const files = filesOf(chunk, byName)
      // Sheets of equal text have one file.
      return withFonts({ ...files, styles: files.styles.filter((name) => !start.styles.includes(name)) })
    },
  }
}

/** Finds the files that stylesheets use, of those whose originals are given (app-relative). */
function fontFiles(output: BundleOutput, originals: ReadonlySet<string>): (styles: readonly string[]) => string[] {
  const assets = output.filter((item): item is Asset => item.type === 'asset')
  const fonts = assets.filter(({ originalFileNames }) => originalFileNames.some((name) => originals.has(name)))
  return (styles) => {
    if (fonts.length === 0) return []
    const sheets = assets.filter(({ fileName }) => styles.includes(fileName)).map(({ source }) => String(source))
    return fonts.map(({ fileName }) => fileName).filter((name) => sheets.some((sheet) => sheet.includes(name)))
  }
}

function filesOf(chunk: Chunk, byName: ReadonlyMap<string, Chunk>): RouteFiles {
  // Chunks may import each other in a cycle: the route's own chunk counts as visited.
  const imports = new Set([chunk.fileName])
  const visit = (each: Chunk) => {
    for (const name of each.imports) {
      const next = byName.get(name)
      if (!next || imports.has(name)) continue
      imports.add(name)
      visit(next)
    }
  }
  visit(chunk)
  imports.delete(chunk.fileName)
  // styles/style-files.ts has put the files of all chunks into this one, in the order of imports.
  const styles = [...(chunk.viteMetadata?.importedCss ?? [])]
  return { module: chunk.fileName, imports: [...imports], styles }
}

/** Finds a page's kind of data function by the exports of its chunk in the server bundle. Throws as kindOf does. */
export function dataKinds(output: BundleOutput, appDir: string): (file: string) => DataKind {
  const exportsOf = new Map(
    chunksOf(output).map((chunk) => [appRelative(appDir, chunk.facadeModuleId ?? ''), new Set(chunk.exports)]),
  )
  return (file) => {
    const names = exportsOf.get(file)
    if (!names) throw new Error(`${file}: the server bundle has no chunk for this page`)
    return kindOf(file, names, () => readFileSync(join(appDir, file), 'utf8'))
  }
}

/**
 * The kind of data function among a page's exports. Throws BuildError for exports that no page may have together, at the
 * last of them; `readCode` returns the page's source.
 */
export function kindOf(file: string, names: ReadonlySet<string>, readCode: () => string): DataKind {
  const refusal = (rule: string, docs: DocsSection, ...exports: string[]) => {
    const code = readCode()
    const offsets = exports.flatMap((name) => exportOffset(code, file, name) ?? [])
    return authorError({
      file,
      at: offsets.length > 0 ? { code, offset: Math.max(...offsets) } : undefined,
      rule,
      docs,
    })
  }
  if (!names.has('default')) throw refusal('a page must export a component as default', 'page')
  const [server, fixed, paths] = ['getServerSideProps', 'getStaticProps', 'getStaticPaths'] as const
  const isServer = names.has(server)
  const isStatic = names.has(fixed)
  if (isServer && isStatic)
    throw refusal(`a page must not export both ${server} and ${fixed}`, 'dataFunctions', server, fixed)
  if (names.has(paths) && !isStatic)
    throw refusal(`a page that exports ${paths} must export ${fixed}`, 'dataFunctions', paths)
  if (isServer && STATIC_SCREEN.test(file))
    throw refusal(`${server} is not possible in pages/404 and pages/500; use ${fixed}`, 'dataFunctions', server)
  return isServer ? 'server' : isStatic ? 'static' : 'none'
}

/** Rendered without a client. */
const STATIC_SCREEN = /^(src\/)?pages\/(404|500)(\/index)?\.[^/]+$/

/** The part of a page's entry that says which requests the page takes (E6); a screen has none. */
export function methodsOf(
  { crossOrigin }: PageConfig,
  data: DataKind,
  { takesForms }: { takesForms: boolean },
): Pick<PageEntry, 'methods' | 'crossOrigin'> {
  if (!takesForms) return {}
  // SECURITY: what nothing reads changes no data, so the form of any site may post to it.
  if (!isPerRequest(data)) return { methods: 'form', crossOrigin: true }
  return { methods: 'all', ...(crossOrigin && { crossOrigin }) }
}

function chunksOf(output: BundleOutput): Chunk[] {
  return output.filter((item): item is Chunk => item.type === 'chunk')
}

export interface PageFacts extends RouteFile {
  kind: DataKind
  exports: ReadonlySet<string>
  /** The page for browsers: without its data functions. */
  browserCode: string
}

interface FolderFacts {
  pages: PageFacts[]
  /** `_app` too. */
  screens: PageFacts[]
}

/** Passes on the faults of exports. A page that cannot be parsed has none: the check of its imports reports it. */
export async function readPageFacts(
  { folder, next }: Pick<BundleSources, 'folder' | 'next'>,
  refuse: RefuseFault,
): Promise<FolderFacts> {
  const kindOfRoute = await kindsOfSources({ folder, next }, [...folder.pages, ...folder.screens])
  const read = async (route: RouteFile): Promise<PageFacts> => {
    const code = await readSource(join(folder.dir, route.file))
    const body = parseModule(code, route.file)
    const exports = namesOfModule(body)
    const kind = body.length === 0 ? undefined : attempt(refuse, () => kindOf(route.file, exports, () => code))
    const browserCode = attempt(refuse, () => strip(code, route.file))?.code ?? code
    const whole = attempt(refuse, () => kindOfRoute(route, kind ?? 'none')) ?? 'none'
    return { ...route, kind: whole, exports, browserCode }
  }
  const app = folder.app === undefined ? [] : [{ pattern: '/_app', file: folder.app }]
  return {
    pages: await Promise.all(folder.pages.map(read)),
    screens: await Promise.all([...folder.screens, ...app].map(read)),
  }
}

/** Takes app-relative files; parses a file again only when it changed. */
export type DataKindReader = (file: string) => Promise<DataKind>

/** `compile` returns the source that loaders of the site's configuration make of another one. */
export function createDataKindReader(
  dir: string,
  compile: (path: string, code: string) => Promise<string>,
): DataKindReader {
  const known = new Map<string, { code: string; kind: DataKind }>()
  return async (file) => {
    const path = join(dir, file)
    const code = await compile(path, await readSource(path))
    const last = known.get(file)
    if (last?.code === code) return last.kind
    // A page that cannot be parsed keeps its kind: Vite reports the error with a frame. A page may also be empty while an
    // editor writes it.
    const body = parseModule(code, file)
    if (body.length === 0) return last?.kind ?? 'none'
    // A page that is refused fails when it is loaded, and no other page (dev-plugins.ts).
    const kind = attempt(
      () => {},
      () => kindOf(file, namesOfModule(body), () => code),
    )
    if (kind === undefined) return last?.kind ?? 'none'
    known.set(file, { code, kind })
    return kind
  }
}
