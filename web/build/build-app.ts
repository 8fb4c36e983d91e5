// Builds an app folder into its dist/: config, assets script, three bundles, hashed and public files, manifest. Leaves the
// bundles to bundles, what their files say to route-facts and manifest, and pages that are rendered now to prerender.

import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { didYouMean } from '@portico/shared/wire/nearest-name.ts'
import type { HasFacts } from '@portico/shared/wire/patterns/conditions.ts'
import { createTargetResolver } from '@portico/shared/wire/routing/resolve-page.ts'
import type { Rolldown } from 'vite'
import { kindsOfBuild } from './active-adapter.ts'
import type { KindOfRoute } from './adapter.ts'
import { BuildError, collectFaults } from './build-error.ts'
import { type BundleSources, readBundleSources } from './bundle-sources/bundle-sources.ts'
import { type BundleName, buildBundle } from './bundles/bundles.ts'
import {
  brokenLinks,
  locateAppFolder,
  middlewareLine,
  readAppFolder,
  readAssetsScript,
  runAssetsScript,
  screensOf,
} from './folder/folder.ts'
import { checkModules } from './load/load.ts'
import { loadSiteConfig } from './load-config.ts'
import {
  codeEnvOf,
  computeBuildId,
  copyPublicFiles,
  manifestOf,
  readBuiltFiles,
  readSourceNames,
  writeManifests,
  writeSourceNames,
} from './manifest/manifest.ts'
import { inlinedNames, reportLines } from './mode.ts'
import { readDependencies } from './package-json.ts'
import { loadedBy, writeFrameworkCopy, writeLoadedPackages } from './packages/packages.ts'
import { prerender } from './prerender.ts'
import { type BundleOutput, browserFiles, dataKinds, methodsOf, readPageFacts } from './route-facts.ts'
import { serverCodeNotes } from './server-code/server-code.ts'
import { siteNotes } from './site-notes.ts'
import { writeCompilerOptions, writeModeTypes, writeSiteTypes } from './site-types.ts'
import { keepMaps, MAPS_FOLDER, takeMaps } from './source-maps/source-maps.ts'

interface BuildProgress {
  /** Reports the start of a step. */
  step(name: string): void
  /** Reports a line of the assets script. */
  line(text: string): void
}

interface BuildOptions {
  /** A page that cannot be prerendered is an error. */
  strictPrerender?: boolean
}

interface BuildResult {
  manifest: Manifest
  /** The variables of the environment whose values are in every bundle (X6). */
  inlined: string[]
}

/** Builds into dist/, which keeps the old build until the new one is complete. Throws errors of build-error.ts. */
export async function buildApp(
  appDir: string,
  progress: BuildProgress,
  { strictPrerender = false }: BuildOptions = {},
): Promise<BuildResult> {
  progress.step('Reading the app folder')
  const dir = await locateAppFolder(appDir)
  await writeCompilerOptions(dir)
  const { config, next } = await loadSiteConfig(dir, {
    mode: 'production',
    environment: process.env,
    onAdapted: ({ framework, report }) => reportLines(framework, report).forEach(progress.step),
  })
  await writeModeTypes(dir, next)
  if (strictPrerender && config.prerender !== 'build')
    throw new BuildError(
      "--strict-prerender: is for builds that render pages; set prerender: 'build' in portico.config.ts",
    )
  const { refuse, end } = collectFaults()
  const folder = await readAppFolder(dir, { next, refuse })
  await readPageFacts({ folder, next }, refuse)
  end()
  for (const line of await siteNotes(dir, next)) progress.step(line)
  if (folder.middleware) progress.step(middlewareLine(folder.middleware))
  const assetsScript = await readAssetsScript(dir)
  if (assetsScript) {
    progress.step('Running the assets script')
    await runAssetsScript(folder.dir, assetsScript, progress.line)
  }
  const links = await brokenLinks(dir)
  // An app of Next.js may have one: its build leaves it out.
  if (links.length > 0 && !next.on) throw new BuildError(links)
  links.forEach(progress.step)
  // Vite sets another value when it runs the config file; JSX and libraries choose their production form by this one.
  process.env.NODE_ENV = 'production'
  const sources = await readBundleSources(folder, config, { next, refuse })
  end()
  await writeSiteTypes(folder, config, next)
  const sourceNames = await readSourceNames(dir)
  // One folder per process: two concurrent builds of one app folder do not mix.
  const outDir = join(folder.dir, '.portico', `building-${process.pid}`)
  const mapsDir = `${outDir}-maps`
  try {
    const { manifest, server } = await writeBuild(sources, { outDir, mapsDir, progress })
    if (config.prerender === 'build')
      await prerender({
        manifest,
        outDir,
        appDir: folder.dir,
        progress,
        strictPrerender,
        server,
        pageLimitMs: next.pageLimitMs,
      })
    lostRedirects(manifest).forEach(progress.step)
    await writeSourceNames(outDir, sourceNames)
    if (config.sourceMaps === 'hidden') {
      await keepMaps(folder.dir, mapsDir, manifest.buildId)
      progress.step(`Source maps of the browser bundle: ${MAPS_FOLDER}/${manifest.buildId}`)
    }
    await replaceFolder(outDir, join(folder.dir, 'dist'))
    return { manifest, inlined: inlinedNames(next) }
  } finally {
    for (const left of [outDir, mapsDir]) await rm(left, { recursive: true, force: true })
  }
}

interface BuildPlace {
  outDir: string
  /** The folder of the hidden source maps. */
  mapsDir: string
  progress: BuildProgress
}

async function writeBuild(sources: BundleSources, { outDir, mapsDir, progress }: BuildPlace) {
  for (const left of [outDir, mapsDir]) await rm(left, { recursive: true, force: true })
  // The bundler reports a folder that cannot be written as another fault, without the whole path.
  await mkdir(outDir, { recursive: true })
  const bundle = async (name: BundleName, folder: string) => {
    progress.step(`Building the ${name === 'client' ? 'browser' : name} bundle`)
    const output = await buildBundle(name, sources, join(outDir, folder))
    if (name !== 'client') await writeFrameworkCopy(join(outDir, folder))
    return output
  }
  const client = await bundle('client', 'client/static')
  for (const line of serverCodeNotes(sources.serverCode, sources.config.browserStubs)) progress.step(line)
  const server = await bundle('server', 'server')
  const actions = await bundle('actions', 'actions')
  await publishAssets(server, join(outDir, 'server'), join(outDir, 'client', 'static'))
  await publishAssets(actions, join(outDir, 'actions'), join(outDir, 'client', 'static'))

  for (const line of sources.notes) progress.step(line)
  const copies = sources.react.list()
  if (copies.length > 0) progress.step(`Using the React of Portico instead of ${copies.join(', ')}`)

  await takeMaps(sources.config, join(outDir, 'client', 'static'), mapsDir)
  progress.step('Compressing files')
  const staticFiles = await readBuiltFiles(join(outDir, 'client', 'static'), sources)
  const publicFiles = await copyPublicFiles(sources.folder.dir, join(outDir, 'public'), sources)

  const manifest = createManifest(sources, client, server, await kindsOfBuild(sources, outDir, server, progress.step))
  Object.assign(manifest, codeEnvOf(sources))
  manifest.staticFiles = staticFiles
  manifest.publicFiles = publicFiles
  manifest.buildId = await computeBuildId(outDir, manifest)
  await writeManifests(outDir, manifest)
  const dependencies = new Set(Object.keys(await readDependencies(sources.folder.dir, 'production')))
  await writeLoadedPackages(outDir, {
    server: loadedBy(server, sources.packages, dependencies),
    actions: loadedBy(actions, sources.packages, dependencies),
    named: sources.config.serverExternalPackages,
  })
  await checkModules({ outDir, manifest, folder: sources.folder, outputs: { server, actions }, progress })
  return { manifest, server }
}

function createManifest(
  sources: BundleSources,
  client: BundleOutput,
  server: BundleOutput,
  kindOf: KindOfRoute,
): Manifest {
  const { folder } = sources
  const kinds = dataKinds(server, folder.dir)
  const files = browserFiles(client, folder.dir, sources.fonts)
  const pageOf = ({ pattern, file }: { pattern: string; file: string }) => ({
    pattern,
    file,
    data: kindOf({ pattern, file }, kinds(file)),
    files: files.page(file),
  })
  return manifestOf(sources, {
    pages: folder.pages.map((page) => {
      const entry = pageOf(page)
      return { ...entry, ...methodsOf(page, entry.data, sources.next) }
    }),
    screens: screensOf(folder).map(pageOf),
    browserEntry: files.entry,
  })
}

/** Names of imported files. */
const IMPORTED = /^[^/]+-[0-9a-f]{8,}\.[^./]+$/

/**
 * Moves the files that server code imports to those of the browser bundle, which has most of them by the same name. The maps
 * of the bundle's own chunks stay next to these.
 */
async function publishAssets(output: Rolldown.RolldownOutput['output'], from: string, to: string): Promise<void> {
  // Documents link the sheets of the browser bundle; code of the server has addresses of those with `?url`.
  const withUrl = new Set(
    output.flatMap((each) => (each.type === 'chunk' ? [...(each.viteMetadata?.importedAssets ?? [])] : [])),
  )
  const maps = new Set(output.flatMap((each) => (each.type === 'chunk' ? [`${each.fileName}.map`] : [])))
  for (const { type, fileName } of output) {
    if (type !== 'asset' || maps.has(fileName)) continue
    const isLinked = !fileName.endsWith('.css') || withUrl.has(fileName)
    // SECURITY: what a plugin writes for the server under a name of its own is not published. A script of the browser bundle
    // may name its map.
    if (IMPORTED.test(fileName) && isLinked && !existsSync(join(to, fileName)))
      await rename(join(from, fileName), join(to, fileName))
    else await rm(join(from, fileName))
  }
}

async function replaceFolder(from: string, to: string): Promise<void> {
  const old = `${from}-old`
  await rm(old, { recursive: true, force: true })
  if (existsSync(to)) await rename(to, old)
  await rename(from, to)
  await rm(old, { recursive: true, force: true })
}

// Redirects that lead a client to the screen for 404.

type Tables = Pick<
  Manifest,
  'redirects' | 'rewrites' | 'pages' | 'apiRoutes' | 'publicFiles' | 'middleware' | 'i18n' | 'semantics'
>

/** A path of this site without parameters. */
const FIXED = /^\/(?!\/)[^:*(]*$/

/**
 * A line for each redirect to a path at which the site has nothing. None where rewrites, middleware or locales may have
 * something at any path, and none with `lostRedirects`.
 */
export function lostRedirects(manifest: Tables): string[] {
  const { redirects, rewrites, middleware, i18n, semantics, pages } = manifest
  if (rewrites.length > 0 || middleware || i18n || semantics.lostRedirects) return []
  const resolve = createTargetResolver(manifest)
  const sources = new Set(redirects.map(({ source }) => source))
  return redirects.flatMap(({ source, destination, basePath }) => {
    const [path = ''] = destination.split(/[?#]/)
    const pathname = path === '/' ? path : path.replace(/\/$/, '')
    if (basePath === false || !FIXED.test(pathname) || sources.has(pathname)) return []
    if (resolve(pathname, '', NO_FACTS).kind !== 'no-match') return []
    const patterns = pages.map(({ pattern }) => pattern)
    const rule = `"${source}" leads to ${destination}, which is no page, file or API handler of the site`
    return [`redirects: ${rule}${didYouMean(pathname, patterns)}`]
  })
}

/** The facts of no request: only rules of rewrites read them. */
const NO_FACTS: HasFacts = { header: () => undefined, cookie: () => undefined, query: () => undefined, host: () => '' }
