// The imports of server code that are part of a browser bundle after tree shaking and minification, each with the chain
// of imports from a page (F2).

import { readFileSync } from 'node:fs'
import { basename, isAbsolute, resolve } from 'node:path'
import type { Rolldown } from 'vite'
import { isUsedOnLoad, requiresOnLoad } from '../folder/load-time-use.ts'
import { isScript, withoutQuery } from '../folder/source-paths.ts'
import { isShared } from '../framework-files.ts'
import { isInPackage, isServerFile, labelOf, packageOf, type ServerNames } from './server-modules.ts'
import { globalRule, hasMarker, markerOf, type ServerImport, undefinedRule } from './server-stubs.ts'

export interface ServerCodeFinding {
  /** error: fails the build. warning: printed. stubbed: listed in `browserStubs`. */
  kind: 'error' | 'warning' | 'stubbed'
  /** Absolute path of the importing module, and the position of the import in it. */
  importer: string
  start: number | undefined
  message: string
}

export interface BrowserOutput {
  bundle: Rolldown.OutputBundle
  /** By module id. */
  stubs: ReadonlyMap<string, ServerImport>
  infoOf: (id: string) => Pick<Rolldown.ModuleInfo, 'importers' | 'dynamicImporters' | 'isEntry'> | null
}

export function readFindings(appDir: string, output: BrowserOutput): ServerCodeFinding[] {
  const chunks = Object.values(output.bundle).filter((file) => file.type === 'chunk')
  const code = reachableCode(chunks)
  const modules = new Map(chunks.flatMap((chunk) => Object.entries(chunk.modules)))
  const findings: ServerCodeFinding[] = []
  for (const [id, entry] of output.stubs) {
    // Markers are exact; a package's stub has none, because its text would be sent to browsers.
    const isThere = hasMarker(entry) ? code.some((text) => text.includes(markerOf(id))) : modules.has(id)
    if (!isThere) continue
    const files = chainTo(id, output, modules)
      .slice(0, -1)
      .map(withoutQuery)
      // The framework's entry and virtual modules are no files of the author.
      .filter((file) => isAbsolute(file) && !isShared(file))
    findings.push(findingOf(appDir, entry, files, modules))
  }
  return findings.sort((a, b) => (a.message < b.message ? -1 : 1))
}

/**
 * Files of server code that the browser bundle publishes as they are: `new URL('…', import.meta.url)` and `url()` of
 * stylesheets import no module.
 */
export function readPublished(appDir: string, bundle: Rolldown.OutputBundle, mode: ServerNames): ServerCodeFinding[] {
  const names = Object.values(bundle).flatMap((file) => (file.type === 'asset' ? file.originalFileNames : []))
  return [...new Set(names)].sort().flatMap((name): ServerCodeFinding[] => {
    const importer = resolve(appDir, name)
    if (!isServerFile(appDir, importer, mode)) return []
    const label = labelOf(appDir, importer)
    const rule = 'name it by new URL() or url() in server code only'
    const message = `${label}: is server code, and the browser bundle would publish this file; ${rule}`
    return [{ kind: 'error', importer, start: undefined, message }]
  })
}

type RenderedModules = ReadonlyMap<string, { code: string | null }>

/** The code of the chunks that a browser can load: minification may remove the last `import()` of a chunk. */
function reachableCode(chunks: readonly Rolldown.OutputChunk[]): string[] {
  const found = new Set(chunks.filter(({ isEntry }) => isEntry))
  for (const chunk of found)
    for (const other of chunks) if (!found.has(other) && chunk.code.includes(basename(other.fileName))) found.add(other)
  return [...found].map(({ code }) => code)
}

/** The module ids from an entry to a module: the shortest way, through modules of the bundle if there is one. */
function chainTo(id: string, { infoOf }: BrowserOutput, modules: RenderedModules): string[] {
  const search = (isAllowed: (id: string) => boolean): string[] | undefined => {
    const seen = new Set([id])
    const queue = [[id]]
    for (const chain of queue) {
      const info = infoOf(chain[0]!)
      if (!info || info.isEntry) return chain
      for (const next of [...info.importers, ...info.dynamicImporters])
        if (!seen.has(next) && isAllowed(next)) {
          seen.add(next)
          queue.push([next, ...chain])
        }
    }
    return undefined
  }
  return search((next) => modules.has(next)) ?? search(() => true) ?? [id]
}

function findingOf(
  appDir: string,
  entry: ServerImport,
  files: readonly string[],
  modules: RenderedModules,
): ServerCodeFinding {
  const { importer, target, start } = entry
  const path = [...files.map((file) => labelOf(appDir, file)), target].join(' → ')
  const where = labelOf(appDir, importer)
  if (entry.kind === 'silent') return { kind: 'stubbed', importer, start, message: packageOf(importer) ?? where }
  if (entry.kind === 'environment') {
    return { kind: 'warning', importer, start, message: `${where}: ${undefinedRule(entry.specifier)}: ${path}` }
  }
  if (entry.kind === 'own') {
    const or = /^(node:)?crypto$/.test(target) ? ', or, in a site of Next.js, npm install crypto-browserify' : ''
    const remedy = `use it in data functions, actions and API handlers only${or}`
    const rule =
      globalRule(entry.specifier) ??
      `imports ${target}, which is server code, and the browser loads this file; ${remedy}`
    return { kind: 'error', importer, start, message: `${where}: ${rule}: ${path}` }
  }
  const remedy = `add browserStubs: ['${packageOf(importer)}'] to portico.config.ts if the package works without it`
  if (runsOnLoad(entry, files, modules.get(importer)?.code ?? ''))
    return {
      kind: 'error',
      importer,
      start,
      message: `${where}: runs ${target} when it loads, but a browser has no ${target}; ${remedy}: ${path}`,
    }
  return {
    kind: 'warning',
    importer,
    start,
    message: `${where}: imports ${target}, which is empty in the browser; ${remedy}: ${path}`,
  }
}

/**
 * Whether loading the page surely runs the imported builtin: the importer uses it outside of functions and conditions,
 * and every CommonJS module of the chain is required outside of functions and conditions.
 */
function runsOnLoad({ importer, specifier }: ServerImport, files: readonly string[], rendered: string): boolean {
  const isLoaded = files.every((file, index) => {
    const next = files[index + 1]
    return (
      next === undefined ||
      !isInPackage(file) ||
      (isScript(file) && requiresOnLoad(readFileSync(file, 'utf8'), file, next))
    )
  })
  return isLoaded && isScript(importer) && isUsedOnLoad(readFileSync(importer, 'utf8'), importer, specifier, rendered)
}

/** The warnings of a build, one line each, and the entries of `browserStubs` that have no effect. */
export function serverCodeNotes(findings: readonly ServerCodeFinding[], browserStubs: readonly string[]): string[] {
  const stubbed = new Set(findings.flatMap(({ kind, message }) => (kind === 'stubbed' ? [message] : [])))
  const unused = browserStubs.filter((name) => !stubbed.has(name))
  return [
    ...findings.flatMap(({ kind, message }) => (kind === 'warning' ? [`Warning: ${message}`] : [])),
    ...unused.map(
      (name) =>
        `Warning: browserStubs: "${name}" has no effect; no module of it imports server code in the browser bundle`,
    ),
  ]
}
