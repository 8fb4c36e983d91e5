// The stylesheet files of the browser bundle. The bundler makes one for each chunk of scripts, whose borders have nothing to
// do with the order of stylesheets; this plugin makes those of plan-style-files.ts in their place.

import type { Plugin, ResolvedConfig, Rolldown } from 'vite'
import { planStyleFiles, type Sheet } from './plan-style-files.ts'
import { styleLists } from './style-lists.ts'

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
    fileName: `styles of ${sheets.join(' ')}`,
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
