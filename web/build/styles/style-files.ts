// The stylesheet files of the browser bundle. The bundler makes one for each chunk of scripts, whose borders have nothing to
// do with the order of stylesheets; the plugin makes those of planStyleFiles in their place.

import { hash } from 'node:crypto'
import type { Plugin, ResolvedConfig, Rolldown } from 'vite'
import { RUNTIME_FILES } from '../framework-files.ts'

interface StyleLists<Root> {
  /** The start of every page, with the sheets of `_app`: pages have them before their own. */
  start: ReadonlyMap<Root, readonly string[]>
  pages: ReadonlyMap<Root, readonly string[]>
  /** Code that is loaded at first use, with the pages that may load it. */
  late: ReadonlyMap<Root, { sheets: readonly string[]; pages: ReadonlySet<Root> }>
}

export interface Sheet {
  /** Length of the text. */
  size: number
  /** Rules that browsers ignore behind other rules: an `@import` of another origin. */
  isFirst: boolean
}

/** A file has copies of sheets that other pages have in other files up to this length: a request costs more. */
const COPIED_LIMIT = 8000

// Which stylesheets share a file. Every page has the sheets of `_app`, and then its own in the order of their imports: a
// file is a part of that order, whatever chunks the scripts of these modules are in.

/** The files of each root, each with its sheets. */
export function planStyleFiles<Root>(
  lists: StyleLists<Root>,
  sheetOf: (sheet: string) => Sheet,
): ReadonlyMap<Root, string[][]> {
  const { start } = lists
  const app = new Set([...start.values()].flat())
  const pages = mapValues(lists.pages, (sheets) => sheets.filter((sheet) => !app.has(sheet)))
  const late = mapValues(lists.late, (code) => {
    const here = [...code.pages].map((page) => new Set(pages.get(page)))
    const isThere = (sheet: string) => here.length > 0 && here.every((sheets) => sheets.has(sheet))
    return code.sheets.filter((sheet) => !app.has(sheet) && !isThere(sheet))
  })
  const runsOf = runsIn([...start.values(), ...pages.values(), ...late.values()], (sheet) => sheetOf(sheet).isFirst)
  // A page may have such a sheet already, or get it later: there is one file of it, never a copy that would come last.
  const fixed = new Set([...late.values()].flat())
  const uses = new Map<string, number>()
  for (const sheet of [...pages.values()].flat()) uses.set(sheet, (uses.get(sheet) ?? 0) + 1)
  const copiedSize = ([first, ...rest]: readonly string[]) =>
    first === undefined || uses.get(first) === 1
      ? 0
      : [first, ...rest].reduce((total, sheet) => total + sheetOf(sheet).size, 0)

  const filesOf = (sheets: readonly string[]) => {
    const files: string[][] = []
    let open: { file: string[]; copied: number } | undefined
    for (const run of runsOf(sheets)) {
      const size = copiedSize(run)
      const isFixed = fixed.has(run[0]!)
      const fits = open && !isFixed && !sheetOf(run[0]!).isFirst && open.copied + size <= COPIED_LIMIT
      if (open && fits) {
        open.file.push(...run)
        open.copied += size
        continue
      }
      const file = [...run]
      files.push(file)
      open = isFixed || size > COPIED_LIMIT ? undefined : { file, copied: size }
    }
    return files
  }
  return new Map([...mapValues(start, runsOf), ...mapValues(pages, filesOf), ...mapValues(late, runsOf)])
}

/** Cuts a list into runs: sheets that follow each other in every list that has one of them. */
function runsIn(
  lists: readonly (readonly string[])[],
  isFirst: (sheet: string) => boolean,
): (sheets: readonly string[]) => string[][] {
  const after = neighbours(lists)
  const before = neighbours(lists.map((list) => list.toReversed()))
  const isJoined = (sheet: string, next: string) =>
    after.get(sheet) === next && before.get(next) === sheet && !isFirst(next)
  return (sheets) => {
    const runs: string[][] = []
    for (const sheet of sheets) {
      const last = runs.at(-1)
      if (last && isJoined(last.at(-1)!, sheet)) last.push(sheet)
      else runs.push([sheet])
    }
    return runs
  }
}

/** The sheet that follows another one in every list; undefined where lists differ. */
function neighbours(lists: readonly (readonly string[])[]): Map<string, string | undefined> {
  const next = new Map<string, string | undefined>()
  for (const list of lists)
    for (const [index, sheet] of list.entries()) {
      const following = list[index + 1]
      next.set(sheet, next.has(sheet) && next.get(sheet) !== following ? undefined : following)
    }
  return next
}

function mapValues<Key, From, To>(map: ReadonlyMap<Key, From>, change: (value: From) => To): Map<Key, To> {
  return new Map([...map].map(([key, value]) => [key, change(value)]))
}

// The order of stylesheets: that of their imports. A module's imports are read in the order of its lines, each with all that
// it imports itself, and each once: the order in which modules run.

/** The stylesheets below modules. What a stylesheet imports is part of it. */
export function stylesInOrder<Module>(
  modules: Iterable<Module>,
  isStyle: (module: Module) => boolean,
  importsOf: (module: Module) => Iterable<Module>,
): Module[] {
  const styles: Module[] = []
  const seen = new Set<Module>()
  const visit = (module: Module) => {
    if (seen.has(module)) return
    seen.add(module)
    if (isStyle(module)) styles.push(module)
    else for (const next of importsOf(module)) visit(next)
  }
  for (const module of modules) visit(module)
  return styles
}

type Chunk = Pick<Rolldown.RenderedChunk, 'fileName' | 'isEntry' | 'facadeModuleId' | 'imports'> & {
  modules: Readonly<Record<string, unknown>>
}
type Chunks = Readonly<Record<string, Chunk>>
type Module = Pick<Rolldown.ModuleInfo, 'importedIds' | 'dynamicallyImportedIds' | 'importers' | 'dynamicImporters'>
type ModuleOf = (id: string) => Module | null

/** The lists by the names of chunks. `sheets`: the ids of stylesheets. */
export function styleLists(
  chunks: Chunks,
  sheets: Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>,
  moduleOf: ModuleOf,
): StyleLists<string> {
  // Most modules lead to no stylesheet.
  const leading = reachedFrom(sheets.keys(), (id) => {
    const module = moduleOf(id)
    return [...(module?.importers ?? []), ...(module?.dynamicImporters ?? [])]
  })
  const importsOf = (id: string) => (moduleOf(id)?.importedIds ?? []).filter((each) => leading.has(each))
  const lateImportsOf = (id: string) => (moduleOf(id)?.dynamicallyImportedIds ?? []).filter((each) => leading.has(each))
  const sheetsOf = (chunk: Chunk, roots: Iterable<string>) => {
    const modules = modulesOf(chunk, chunks)
    const styles = stylesInOrder(roots, (id) => sheets.has(id), importsOf)
    // Tree shaking may have removed some of them.
    return styles.filter((id) => modules.has(id))
  }

  const start = new Map<string, string[]>()
  const pages = new Map<string, string[]>()
  const late = new Map<string, { sheets: string[]; pages: Set<string> }>()
  /** The modules that code imports at first use, with their chunks. */
  const lateChunks = new Map<string, string>()
  for (const chunk of Object.values(chunks)) {
    const roots = new Set(chunk.facadeModuleId === null ? [] : [chunk.facadeModuleId])
    if (isStart(chunk)) start.set(chunk.fileName, sheetsOf(chunk, roots))
    else if (chunk.isEntry) pages.set(chunk.fileName, sheetsOf(chunk, roots))
    else {
      for (const id of Object.keys(chunk.modules)) roots.add(id)
      const lateRoots = [...roots].filter((id) => leading.has(id) && moduleOf(id)?.dynamicImporters.length)
      for (const id of lateRoots) lateChunks.set(id, chunk.fileName)
      if (lateRoots.length > 0) late.set(chunk.fileName, { sheets: sheetsOf(chunk, lateRoots), pages: new Set() })
    }
  }
  for (const chunk of Object.values(chunks)) {
    if (!chunk.isEntry || chunk.facadeModuleId === null) continue
    const users = isStart(chunk) ? pages.keys().toArray() : [chunk.fileName]
    for (const id of reachedFrom([chunk.facadeModuleId], (each) => [...importsOf(each), ...lateImportsOf(each)])) {
      const code = late.get(lateChunks.get(id) ?? '')
      if (code) for (const user of users) code.pages.add(user)
    }
  }
  return { start, pages, late }
}

function isStart({ isEntry, facadeModuleId }: Chunk): boolean {
  return isEntry && facadeModuleId === RUNTIME_FILES.browserEntry
}

/** The modules of a chunk and of those that it imports. */
function modulesOf(chunk: Chunk, chunks: Chunks): Set<string> {
  const names = reachedFrom([chunk.fileName], (name) => chunks[name]?.imports ?? [])
  return new Set([...names].flatMap((name) => Object.keys(chunks[name]?.modules ?? {})))
}

function reachedFrom(roots: Iterable<string>, nextOf: (id: string) => Iterable<string>): Set<string> {
  const reached = new Set(roots)
  // The loop also visits what it adds.
  for (const id of reached) for (const next of nextOf(id)) reached.add(next)
  return reached
}

type RenderChunk = Extract<NonNullable<Plugin['renderChunk']>, (...args: never[]) => unknown>
interface Rendering {
  context: ThisParameterType<RenderChunk>
  options: Rolldown.NormalizedOutputOptions
  meta: Parameters<RenderChunk>[3]
}

const IS_STYLE = /\.(?:css|less|sass|scss|styl|stylus|pcss|postcss|sss)(?:$|\?)/
/** The text or the address of a stylesheet, and modules that Vite makes of one. */
const IS_VALUE = /[?&](?:inline|raw|url|transform-only|worker|sharedworker|commonjs-proxy|html-proxy)\b/
/** Rules that browsers ignore behind other rules. */
const FIRST_RULE = /@(?:import|namespace)\b/

/**
 * Comes behind every plugin that changes stylesheets. In the `viteMetadata` of the bundler's output an entry has the files
 * of its documents, in their order; a chunk that is loaded at first use has those that it needs in addition.
 */
export function styleFiles(): Plugin {
  const sheets = new Map<string, Sheet>()
  /** The files of the bundler's own division. */
  const replaced = new Set<string>()
  let post: RenderChunk
  let files: Promise<ReadonlyMap<string, readonly string[]>> | undefined
  return {
    name: 'portico:style-files',
    configResolved(config) {
      post = stylePlugin(config)
    },
    renderStart() {
      replaced.clear()
      files = undefined
    },
    transform: {
      filter: { id: { include: IS_STYLE, exclude: IS_VALUE } },
      handler(code, id) {
        if (code.trim() === '') sheets.delete(id)
        else sheets.set(id, { size: code.length, isFirst: FIRST_RULE.test(code) })
      },
    },
    renderChunk: {
      // Behind the plugin that makes the bundler's files. The hash of the chunk is one of the names that it has after this.
      order: 'post',
      async handler(_code, chunk, options, meta) {
        const moduleOf = (id: string) => this.getModuleInfo(id)
        files ??= writeFiles(
          planStyleFiles(styleLists(meta.chunks, sheets, moduleOf), (id) => sheets.get(id)!),
          (file) => writeFile(post, file, { context: this, options, meta }),
        )
        const { importedCss } = chunk.viteMetadata!
        for (const name of importedCss) replaced.add(name)
        importedCss.clear()
        const own = (await files).get(chunk.fileName) ?? []
        // Documents link the files of an entry; scripts name those of code that they import at first use.
        const isLinked = chunk.isEntry && !moduleOf(chunk.facadeModuleId ?? '')?.dynamicImporters.length
        if (!isLinked) for (const name of own) importedCss.add(name)
        return null
      },
    },
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const written = await files
        const used = new Set([...(written?.values() ?? [])].flat())
        for (const item of Object.values(bundle)) {
          if (item.type !== 'chunk') continue
          const { importedAssets } = item.viteMetadata!
          for (const name of importedAssets) used.add(name)
          // For the manifest.
          if (item.isEntry) item.viteMetadata!.importedCss = new Set(written?.get(item.preliminaryFileName))
        }
        for (const name of replaced) if (!used.has(name)) delete bundle[name]
      },
    },
  }
}

/** Writes each file once; returns the names of a chunk's files. */
async function writeFiles(
  plan: ReadonlyMap<string, readonly string[][]>,
  write: (file: readonly string[]) => Promise<string>,
): Promise<ReadonlyMap<string, string[]>> {
  const names = new Map<string, Promise<string>>()
  const nameOf = (file: readonly string[]) => {
    const key = file.join('\n')
    const name = names.get(key) ?? write(file)
    names.set(key, name)
    return name
  }
  const entries = [...plan].map(async ([chunk, files]) => [chunk, await Promise.all(files.map(nameOf))] as const)
  return new Map(await Promise.all(entries))
}

/**
 * Vite's plugin that has the compiled stylesheets. It makes one file of those of a chunk: with the addresses of other files,
 * minified, named by its content.
 */
function stylePlugin({ plugins }: ResolvedConfig): RenderChunk {
  const hook = plugins.find(({ name }) => name === 'vite:css-post')?.renderChunk
  if (typeof hook !== 'function') throw new Error('Vite has no plugin vite:css-post that renders chunks')
  return hook
}

/** Has Vite's plugin render a chunk that consists of these stylesheets. */
async function writeFile(
  post: RenderChunk,
  sheets: readonly string[],
  { context, options, meta }: Rendering,
): Promise<string> {
  const importedCss = new Set<string>()
  const chunk = {
    name: 'styles',
    // Not the paths: Vite gives a file with "-legacy" in its name no stylesheet.
    fileName: `styles of ${hash('sha256', sheets.join('\n'))}`,
    facadeModuleId: null,
    isEntry: false,
    exports: [],
    modules: Object.fromEntries(sheets.map((id) => [id, {}])),
    viteMetadata: { importedCss, importedAssets: new Set() },
  }
  // The cast: the plugin reads these members of a chunk.
  await post.call(context, '', chunk as unknown as Rolldown.RenderedChunk, options, meta)
  const [name] = importedCss
  if (name === undefined) throw new Error(`Vite has made no file of ${sheets.join(', ')}`)
  return name
}
