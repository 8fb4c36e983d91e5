// Reads the sources of an app folder under development again and again, keeps the last good ones, and makes their manifest:
// the type of a build's manifest, with the images and the additions to a policy that development has.

import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileEntry, Manifest, RouteFile } from '@portico/shared/wire/build-output.ts'
import type { RouteFiles } from '@portico/shared/wire/page-data.ts'
import type { CspPolicy, CspTable } from '@portico/shared/wire/policy/content-security-policy.ts'
import { staticUrl } from '@portico/shared/wire/routing/urls.ts'
import { adapterOf, kindsOfSources } from '../active-adapter.ts'
import { attempt } from '../build-error.ts'
import { type BundleSources, createReactCopies, readBundleSources } from '../bundle-sources/bundle-sources.ts'
import { parseSiteConfig } from '../config/config.ts'
import { brokenLinks, publicPaths, readAppFolder, screensOf, unlessGone } from '../folder/folder.ts'
import { loadSiteConfig } from '../load-config.ts'
import { manifestOf, mediaTypeOf } from '../manifest/manifest.ts'
import { type ModeSettings, ownSettings, reportLines } from '../mode.ts'
import { createDataKindReader, type DataKindReader, methodsOf } from '../route-facts.ts'
import { siteNotes } from '../site-notes.ts'
import { writeModeTypes, writeSiteTypes } from '../site-types.ts'
import { appRelative } from '../source/source.ts'
import { DEV_ENTRY, devBase, devModuleUrl } from './dev-plugins.ts'

const SELF = "'self'"
const INLINE = "'unsafe-inline'"
const HASH = /^'(sha\d+)-/

/** Vite serves modules and its connection from the site's origin, and its client writes `<style>` elements. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'script-src': [SELF],
  'script-src-elem': [SELF],
  'connect-src': [SELF],
  'style-src': [SELF, INLINE],
  'style-src-elem': [SELF, INLINE],
}

// What the development server's own scripts, styles and connection need of a content security policy, and nothing else.

/** Adds the sources to each policy of the table; a policy that has them is unchanged. */
export function addDevSources({ site, routes, screen }: CspTable): CspTable {
  const changed = Object.entries(routes).map(([route, policy]): [string, CspPolicy | null] => [route, addTo(policy)])
  return { site: addTo(site), routes: Object.fromEntries(changed), screen }
}

function addTo(policy: CspPolicy | null): CspPolicy | null {
  if (!policy) return null
  const directives = { ...policy.directives }
  for (const [name, needed] of Object.entries(NEEDED)) {
    const sources = directives[name]
    if (!sources) continue
    // Next to a hash browsers ignore 'unsafe-inline', which allows what the hash allows.
    const kept = sources.filter(
      (source) => source !== "'none'" && !(needed.includes(INLINE) && HASH.test(String(source))),
    )
    directives[name] = [...kept, ...needed.filter((source) => !kept.includes(source))]
  }
  return { ...policy, directives }
}

/** Describes the folder. The build id is a hash of the manifest: equal folders have equal ids. */
async function createDevManifest(sources: BundleSources, readDataKind: DataKindReader): Promise<Manifest> {
  // Files under development come from the origin of the site: a CDN does not have them.
  const { assetPrefix: _prefix, ...config } = sources.config
  const { folder } = sources
  const base = devBase(config.basePath)
  const screens = screensOf(folder)
  const kindOf = await kindsOfSources(sources, [...folder.pages, ...screens])
  /** A page that is refused fails when it is loaded (dev-plugins.ts). */
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

export type DevImageFiles = ReturnType<typeof createDevImages>

// Imported images under development: the URLs that a build would give them, and the file behind each URL.

export function createDevImages() {
  const files = new Map<string, string>()
  let base = ''
  return {
    setBasePath(basePath: string): void {
      base = basePath
    },
    urlOf(fileName: string, file: string): string {
      // Earlier names of the file contain the hash of earlier bytes.
      for (const [name, known] of files) if (known === file && name !== fileName) files.delete(name)
      files.set(fileName, file)
      return staticUrl(base, fileName)
    },
    /** Path and media type of the file behind a hashed name. */
    find(fileName: string): { file: string; type: string } | undefined {
      const file = files.get(fileName)
      return file === undefined ? undefined : { file, type: mediaTypeOf(fileName) }
    },
  }
}

export type SourceResult = { kind: 'read'; manifest: Manifest } | { kind: 'fault'; fault: Error }

/** `onNotes` receives what the start of development reports, and again what a change of the configuration changes. */
export function createSourceReader(dir: string, onNotes: (lines: readonly string[]) => void = () => {}) {
  let mode: ModeSettings = ownSettings()
  const readDataKind = createDataKindReader(
    dir,
    async (path, code) =>
      // What fails is reported when the page is loaded.
      (await adapterOf(mode)
        ?.vite.compileSource(dir, mode, path, code)
        .catch(() => code)) ?? code,
  )
  let sources: BundleSources = {
    folder: { dir, pages: [], screens: [], apiRoutes: [], actionModules: [] },
    config: parseSiteConfig({}),
    next: mode,
    actions: [],
    generated: new Map(),
    react: createReactCopies(dir),
    notes: new Set(),
    fonts: new Set(),
    packages: new Map(),
    codeVariables: new Map(),
    serverCode: [],
  }
  let configFiles: ReadonlySet<string> = new Set()
  const known = new Map<string, string>()
  // A folder with a fault is read at each change.
  const note = (kind: 'report' | 'site' | 'links', lines: readonly string[]) => {
    const text = lines.join('\n')
    if ((known.get(kind) ?? '') !== text && lines.length > 0) onNotes(lines)
    known.set(kind, text)
  }

  const readAll = async (changed: ReadonlySet<string> | undefined): Promise<Manifest> => {
    let { config, next } = sources
    if (!changed?.isDisjointFrom(configFiles) || changed.values().some((file) => isConfig(dir, file))) {
      const loaded = await loadSiteConfig(dir, {
        mode: 'development',
        environment: process.env,
        onAdapted: ({ framework, report }) => note('report', reportLines(framework, report)),
      })
      config = loaded.config
      next = loaded.next
      configFiles = new Set(loaded.files)
      await writeModeTypes(dir, next)
      note('site', await siteNotes(dir, next))
    }
    note('links', await brokenLinks(dir))
    const folder = await readAppFolder(dir, { next, refuseModule })
    const read = await readBundleSources(folder, config, { next, refuseModule })
    mode = next
    const manifest = await createDevManifest(read, readDataKind)
    await writeSiteTypes(folder, config, next)
    sources = read
    return manifest
  }
  return {
    /** The last sources that could be read. */
    sources: () => sources,
    /** Reads the folder after a change of these files (absolute paths); without files also the config. Never rejects. */
    async read(changed?: ReadonlySet<string>): Promise<SourceResult> {
      try {
        return { kind: 'read', manifest: await readAll(changed) }
      } catch (error) {
        return { kind: 'fault', fault: toError(error) }
      }
    },
  }
}

/** The fault is that of the module when it is loaded, and no other page has it (dev-plugins.ts). */
function refuseModule(): void {}

/** A configuration that was perhaps added or removed now. */
function isConfig(dir: string, file: string): boolean {
  return /^((portico|next|postcss)\.config\.\w+|\.postcssrc.*|package\.json)$/.test(appRelative(dir, file))
}

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
