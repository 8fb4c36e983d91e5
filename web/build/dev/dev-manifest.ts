// The manifest of an app folder under development: the type of a build's manifest, made from the sources.

import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileEntry, Manifest } from '@portico/shared/wire/build-output.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import type { RouteFile } from '@portico/shared/wire/routing/routes.ts'
import { kindsOfSources } from '../adapter/active-adapter.ts'
import { attempt } from '../build-error.ts'
import type { BundleSources } from '../bundles/bundle-sources.ts'
import { parseSiteConfig } from '../config/site-config.ts'
import { screensOf } from '../folder/app-folder.ts'
import { publicPaths, unlessGone } from '../folder/public-files.ts'
import { manifestOf } from '../manifest/manifest.ts'
import { mediaTypeOf } from '../manifest/media-types.ts'
import { methodsOf } from '../manifest/route-files.ts'
import type { DataKindReader } from './data-kinds.ts'
import { addDevSources } from './dev-csp.ts'
import { DEV_ENTRY, devBase, devModuleUrl } from './vite/dev-urls.ts'

/** Describes the folder. The build id is a hash of the manifest: equal folders have equal ids. */
export async function createDevManifest(sources: BundleSources, readDataKind: DataKindReader): Promise<Manifest> {
  // Files under development come from the origin of the site: a CDN does not have them.
  const { assetPrefix: _prefix, ...config } = sources.config
  const { folder } = sources
  const base = devBase(config.basePath)
  const screens = screensOf(folder)
  const kindOf = await kindsOfSources(sources, [...folder.pages, ...screens])
  /** A page that is refused fails when it is loaded (vite/module-rules.ts). */
  const dataOf = async (route: RouteFile) => {
    const exported = await readDataKind(route.file)
    return (
      attempt(
        () => {},
        () => kindOf(route, exported),
      ) ?? exported
    )
  }
  const pageOf = async ({ pattern, file }: RouteFile) => ({
    pattern,
    file,
    data: await dataOf({ pattern, file }),
    // Vite serves Markdown as a module only where it is imported.
    files: { module: file.endsWith('.md') ? `${base}${file}?import` : base + file, imports: [], styles: [] },
  })
  const manifest = manifestOf(
    { ...sources, config },
    {
      pages: await Promise.all(
        folder.pages.map(async (page) => {
          const entry = await pageOf(page)
          return { ...entry, ...methodsOf(page, entry.data, sources.next) }
        }),
      ),
      screens: await Promise.all(screens.map(pageOf)),
      browserEntry: devBrowserEntry(config.basePath),
    },
  )
  return withId({ ...manifest, csp: addDevSources(manifest.csp), publicFiles: await readPublicFiles(folder.dir) })
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

async function readPublicFiles(dir: string): Promise<Manifest['publicFiles']> {
  const entries = (await publicPaths(dir)).map(async (path): Promise<[string, FileEntry][]> => {
    const found = await unlessGone(stat(join(dir, 'public', path)))
    if (!found) return []
    const etag = `"${found.size.toString(36)}-${found.mtimeMs.toString(36)}"`
    return [[path, { size: found.size, type: mediaTypeOf(path), etag, encodings: {} }]]
  })
  return Object.fromEntries((await Promise.all(entries)).flat())
}
