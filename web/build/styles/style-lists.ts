// The stylesheets of each entry and of code that is loaded at first use, from the modules of the browser bundle.

import type { Rolldown } from 'vite'
import { RUNTIME_FILES } from '../framework-files.ts'
import type { StyleLists } from './plan-style-files.ts'
import { stylesInOrder } from './style-order.ts'

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
