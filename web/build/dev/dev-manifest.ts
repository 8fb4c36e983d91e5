// The manifest of an app folder under development: the same type as a build's, made from the folder itself.

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

/** Served as modules by Vite's plugin (dev-modules.ts). */
export const DEV_ENTRY = 'virtual:portico/dev-entry'
export const DEV_CLIENT = 'virtual:portico/dev-client'

/** Vite's base: everything of the development server's stands below it. */
export function devBase(basePath: string): string {
  return `${devSocketPath(basePath)}/`
}

/** Address of one of the two virtual modules. */
export function devModuleUrl(basePath: string, name: string): string {
  return `${devBase(basePath)}@id/${name}`
}

/** Describes the folder as it is now. The id is a hash of the rest: equal folders, equal ids. */
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

/** What there is before the folder can be read for the first time: no page, all defaults. */
export function emptyDevManifest(): Manifest {
  const nothing = { config: parseSiteConfig({}), actions: [], folder: { apiRoutes: [] } }
  return withId(manifestOf(nothing, { pages: [], screens: [], browserEntry: devBrowserEntry('') }))
}

/** Stylesheets come with their modules, which Vite's client puts into the page. */
function devBrowserEntry(basePath: string): RouteFiles {
  return { module: devModuleUrl(basePath, DEV_ENTRY), imports: [], styles: [] }
}

function withId(manifest: Manifest): Manifest {
  // Public files are no reason for open tabs to load anew.
  const { publicFiles: _files, ...rest } = manifest
  const hash = createHash('sha256').update(JSON.stringify(rest)).digest('hex')
  return { ...manifest, buildId: `dev-${hash.slice(0, 12)}` }
}

/** By absolute path. */
const kinds = new Map<string, { code: string; kind: DataKind }>()

/** Read from the source: the page itself need not run for it. */
async function readDataKind(dir: string, file: string): Promise<DataKind> {
  const path = join(dir, file)
  const code = await readFile(path, 'utf8')
  const known = kinds.get(path)
  if (known?.code === code) return known.kind
  // A page that cannot be parsed stays what it was: the module pipeline reports its fault with a frame. An editor that
  // is just writing leaves it empty for a moment.
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
