// Reads the bundler's output: which files a route needs in the browser, and which data function its page exports.

import type { Rolldown } from 'vite'
import type { DataKind } from '../../../services/shared/wire/build-output.ts'
import type { RouteFiles } from '../../../services/shared/wire/page-data.ts'
import { RUNTIME_FILES } from '../bundles/bundle-config.ts'
import { appRelative, BuildError } from '../folder/app-folder.ts'

export type ClientOutput = Rolldown.RolldownOutput['output']
type Chunk = Rolldown.OutputChunk & { viteMetadata?: { importedCss: Set<string> } }

/** Finds the files of the browser's entry and of each page. */
export function browserFiles(
  output: ClientOutput,
  appDir: string,
): { entry: RouteFiles; page: (file: string) => RouteFiles } {
  const chunks = chunksOf(output)
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const entry = chunks.find((chunk) => chunk.isEntry && chunk.facadeModuleId === RUNTIME_FILES.browserEntry)
  if (!entry) throw new Error('the browser bundle has no entry')
  const pages = new Map(
    chunks.filter((chunk) => chunk.isEntry).map((chunk) => [appRelative(appDir, chunk.facadeModuleId ?? ''), chunk]),
  )
  return {
    entry: filesOf(entry, byName),
    page(file) {
      const chunk = pages.get(file)
      if (!chunk) throw new Error(`${file}: the browser bundle has no chunk for it`)
      return filesOf(chunk, byName)
    },
  }
}

function filesOf(chunk: Chunk, byName: ReadonlyMap<string, Chunk>): RouteFiles {
  // Chunks may import each other in a circle: the one asked about counts as seen.
  const imports = new Set([chunk.fileName])
  const styles = new Set<string>()
  const visit = (each: Chunk) => {
    for (const name of each.imports) {
      const next = byName.get(name)
      if (!next || imports.has(name)) continue
      imports.add(name)
      visit(next)
    }
    for (const style of each.viteMetadata?.importedCss ?? []) styles.add(style)
  }
  visit(chunk)
  imports.delete(chunk.fileName)
  return { module: chunk.fileName, imports: [...imports], styles: [...styles] }
}

/** Tells a page's data function by the exports of its chunk in the server bundle. Throws BuildError for two kinds at once. */
export function dataKinds(output: ClientOutput, appDir: string): (file: string) => DataKind {
  const exportsOf = new Map(
    chunksOf(output).map((chunk) => [appRelative(appDir, chunk.facadeModuleId ?? ''), new Set(chunk.exports)]),
  )
  return (file) => {
    const names = exportsOf.get(file)
    if (!names) throw new Error(`${file}: the server bundle has no chunk for it`)
    return kindOf(file, names)
  }
}

/** The kind that a page's exports tell. Throws BuildError for two at once and for a page without a component. */
export function kindOf(file: string, names: ReadonlySet<string>): DataKind {
  if (!names.has('default')) throw new BuildError(`${file}: a page must have a component as its default export`)
  const isServer = names.has('getServerSideProps')
  const isStatic = names.has('getStaticProps')
  if (isServer && isStatic) throw new BuildError(`${file}: getServerSideProps and getStaticProps exclude each other`)
  if (names.has('getStaticPaths') && !isStatic) throw new BuildError(`${file}: getStaticPaths needs getStaticProps`)
  return isServer ? 'server' : isStatic ? 'static' : 'none'
}

function chunksOf(output: ClientOutput): Chunk[] {
  return output.filter((item): item is Chunk => item.type === 'chunk')
}
