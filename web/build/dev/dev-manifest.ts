// The manifest of an app folder under development: the type of a build's manifest, made from the sources.

import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataKind, FileEntry, Manifest } from '../../../services/shared/wire/build-output.ts'
import { devSocketPath } from '../../../services/shared/wire/dev-wire.ts'
import type { RouteFiles } from '../../../services/shared/wire/page-data.ts'
import type { RouteFile } from '../../../services/shared/wire/routes.ts'
import type { BundleSources } from '../bundles/bundle-config.ts'
import { parseSiteConfig } from '../config/config-file.ts'
import { declaredNames, type Node, nameOf, parseModule } from '../folder/module-syntax.ts'
import { publicPaths, typeOf } from '../manifest/files.ts'
import { manifestOf } from '../manifest/manifest.ts'
import { kindOf } from '../manifest/route-files.ts'

/** Ids of the virtual modules in entry-modules.ts. */
export const DEV_ENTRY = 'virtual:portico/dev-entry'
export const DEV_CLIENT = 'virtual:portico/dev-client'

/** Vite's base path: the URLs of all development modules begin with it. */
export function devBase(basePath: string): string {
  return `${devSocketPath(basePath)}/`
}

/** URL of a virtual module. */
export function devModuleUrl(basePath: string, name: string): string {
  return `${devBase(basePath)}@id/${name}`
}

/** Describes the folder. The build id is a hash of the manifest: equal folders have equal ids. */
export async function createDevManifest(sources: BundleSources): Promise<Manifest> {
  const { folder, config } = sources
  const base = devBase(config.basePath)
  const pageOf = async ({ pattern, file }: RouteFile) => ({
    pattern,
    file,
    data: await readDataKind(folder.dir, file),
    files: { module: base + file, imports: [], styles: [] },
  })
  const manifest = manifestOf(sources, {
    pages: await Promise.all(folder.pages.map(pageOf)),
    screens: await Promise.all(folder.screens.map(pageOf)),
    browserEntry: devBrowserEntry(config.basePath),
  })
  return withId({ ...manifest, publicFiles: await readPublicFiles(folder.dir) })
}

/** The manifest until the folder has been read for the first time: no pages, every default. */
export function emptyDevManifest(): Manifest {
  const nothing = { config: parseSiteConfig({}), actions: [], folder: { apiRoutes: [] } }
  return withId(manifestOf(nothing, { pages: [], screens: [], browserEntry: devBrowserEntry('') }))
}

/** Without stylesheets: Vite's client adds them to the page when it loads their modules. */
function devBrowserEntry(basePath: string): RouteFiles {
  return { module: devModuleUrl(basePath, DEV_ENTRY), imports: [], styles: [] }
}

function withId(manifest: Manifest): Manifest {
  // A changed public file does not reload open tabs.
  const { publicFiles: _files, ...rest } = manifest
  const hash = createHash('sha256').update(JSON.stringify(rest)).digest('hex')
  return { ...manifest, buildId: `dev-${hash.slice(0, 12)}` }
}

/** By absolute path. */
const kinds = new Map<string, { code: string; kind: DataKind }>()

/** Finds the kind of data function in the source, without running the page. */
async function readDataKind(dir: string, file: string): Promise<DataKind> {
  const path = join(dir, file)
  const code = await readFile(path, 'utf8')
  const known = kinds.get(path)
  if (known?.code === code) return known.kind
  // A page that cannot be parsed keeps its kind: Vite reports the error with a frame. A page may also be empty while an
  // editor writes it.
  const body = parseModule(code, file)
  if (body.length === 0) return known?.kind ?? 'none'
  const kind = kindOf(file, exportedNames(body))
  kinds.set(path, { code, kind })
  return kind
}

function exportedNames(body: readonly Node[]): Set<string> {
  const names = new Set<string>()
  for (const node of body) {
    if (node.exportKind === 'type') continue
    if (node.type === 'ExportDefaultDeclaration') names.add('default')
    if (node.type !== 'ExportNamedDeclaration') continue
    for (const name of declaredNames(node.declaration as Node | null)) names.add(name)
    for (const specifier of node.specifiers as Node[]) names.add(nameOf(specifier.exported as Node))
  }
  return names
}

async function readPublicFiles(dir: string): Promise<Manifest['publicFiles']> {
  const entries = (await publicPaths(dir)).map(async (path): Promise<[string, FileEntry]> => {
    const { size, mtimeMs } = await stat(join(dir, 'public', path))
    return [path, { size, type: typeOf(path), etag: `"${size.toString(36)}-${mtimeMs.toString(36)}"`, encodings: {} }]
  })
  return Object.fromEntries(await Promise.all(entries))
}
