// Builds an app folder into its dist/: config, assets script, three bundles, hashed and public files, manifest.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { build, type Rolldown } from 'vite'
import { type BrowserManifest, MANIFEST_FORMAT, type Manifest } from '../../services/shared/wire/build-output.ts'
import { type AppFolder, BuildError, readAppFolder } from './app-folder.ts'
import { computeBuildId } from './build-id.ts'
import { type BundleName, type BundleSources, bundleConfig, RUNTIME_FILES } from './bundle-config.ts'
import { loadSiteConfig } from './config-file.ts'
import { addFile, copyPublicFiles, readBuiltFiles } from './files.ts'
import { readGeneratedFiles } from './generated-files.ts'
import { browserFiles, type ClientOutput, dataKinds } from './route-files.ts'
import { readActions } from './use-server.ts'

export interface BuildProgress {
  step(name: string): void
  line(text: string): void
}

export interface BuildResult {
  manifest: Manifest
  outDir: string
}

/** Runs the whole build. Throws BuildError for what the author must change. The old dist/ stays until the new one is whole. */
export async function buildApp(appDir: string, progress: BuildProgress): Promise<BuildResult> {
  progress.step('Reading the app folder')
  const folder = await readAppFolder(appDir)
  const config = await loadSiteConfig(folder.dir, folder.configFile, RUNTIME_FILES.config)
  await runAssetsScript(folder.dir, progress)
  // Running the config file leaves another value there; JSX and libraries choose their form by it.
  process.env.NODE_ENV = 'production'
  const sources: BundleSources = {
    folder,
    config,
    actions: await readActions(folder),
    generated: await readGeneratedFiles(folder.dir),
  }
  const outDir = join(folder.dir, '.portico', 'building')
  await rm(outDir, { recursive: true, force: true })

  const client = await bundle('client', sources, join(outDir, 'client', 'static'), progress)
  const server = await bundle('server', sources, join(outDir, 'server'), progress)
  await bundle('actions', sources, join(outDir, 'actions'), progress)

  progress.step('Compressing files')
  const staticFiles = await readBuiltFiles(join(outDir, 'client', 'static'), sources)
  const publicFiles = await copyPublicFiles(folder.dir, join(outDir, 'public'), sources)
  refuseShadowedPages(folder, Object.keys(publicFiles))

  const manifest = createManifest(sources, client, server)
  manifest.staticFiles = staticFiles
  manifest.publicFiles = publicFiles
  manifest.buildId = await computeBuildId(outDir, manifest)
  await writeManifests(outDir, manifest)
  await putInPlace(outDir, join(folder.dir, 'dist'))
  return { manifest, outDir: join(folder.dir, 'dist') }
}

async function bundle(
  name: BundleName,
  sources: BundleSources,
  outDir: string,
  progress: BuildProgress,
): Promise<ClientOutput> {
  progress.step(`Building the ${name === 'client' ? 'browser' : name} bundle`)
  try {
    // One configuration object gives one output.
    const output = (await build(bundleConfig(name, sources, outDir))) as Rolldown.RolldownOutput
    return output.output
  } catch (error) {
    throw readableError(error, sources.folder.dir)
  }
}

/** The bundler's error with file, line and frame, and paths as the author writes them. */
function readableError(error: unknown, appDir: string): BuildError {
  if (error instanceof BuildError) return error
  const { message, id, loc, frame } = error as {
    message?: string
    id?: string
    loc?: { line?: number; column?: number }
    frame?: string
  }
  const where = id ? `${id}${loc?.line ? `:${loc.line}:${loc.column ?? 0}` : ''}\n` : ''
  const text = `${where}${message ?? String(error)}${frame ? `\n${frame}` : ''}`
  const plain = process.stderr.isTTY ? text : stripVTControlCharacters(text)
  return new BuildError(plain.replaceAll(`${appDir}/`, ''), { cause: error })
}

/** The app folder's own "assets" script draws or fetches what the build then finds. */
async function runAssetsScript(appDir: string, progress: BuildProgress): Promise<void> {
  const file = join(appDir, 'package.json')
  if (!existsSync(file)) return
  const { scripts } = JSON.parse(await readFile(file, 'utf8')) as { scripts?: { assets?: string } }
  if (!scripts?.assets) return
  progress.step('Running the assets script')
  await new Promise<void>((resolve, reject) => {
    const path = `${join(process.execPath, '..')}:${process.env.PATH ?? ''}`
    const child = spawn(scripts.assets!, {
      cwd: appDir,
      shell: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, PATH: path },
    })
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.split('\n')) if (line.trim() !== '') progress.line(line)
    })
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new BuildError(`package.json: the script "assets" ended with ${code}`)),
    )
  })
}

function refuseShadowedPages({ pages }: AppFolder, publicPaths: string[]): void {
  for (const { pattern, file } of pages)
    if (publicPaths.includes(pattern))
      throw new BuildError(`public${pattern} and ${file}: a public file and a page of one path`)
}

function createManifest(
  { folder, config, actions }: BundleSources,
  client: ClientOutput,
  server: ClientOutput,
): Manifest {
  const kinds = dataKinds(server, folder.dir)
  const files = browserFiles(client, folder.dir)
  const pageOf = ({ pattern, file }: { pattern: string; file: string }) => ({
    pattern,
    file,
    data: kinds(file),
    files: files.page(file),
  })
  return {
    format: MANIFEST_FORMAT,
    buildId: '',
    basePath: config.basePath,
    trailingSlash: config.trailingSlash,
    pages: folder.pages.map(pageOf),
    screens: folder.screens.map(pageOf),
    apiRoutes: folder.apiRoutes,
    actions,
    redirects: config.redirects,
    rewrites: config.rewrites,
    headers: config.headers,
    images: config.images,
    publicEnv: config.publicEnv,
    browserEntry: files.entry,
    publicFiles: {},
    staticFiles: {},
  }
}

async function writeManifests(outDir: string, manifest: Manifest): Promise<void> {
  const browser: BrowserManifest = {
    buildId: manifest.buildId,
    pages: manifest.pages.map(({ pattern, data, files }) => ({ pattern, data, files })),
    screens: manifest.screens.map(({ pattern, files }) => ({ pattern, files })),
  }
  const dir = join(outDir, 'client', 'manifest')
  await mkdir(dir, { recursive: true })
  await addFile(join(dir, `${manifest.buildId}.json`), Buffer.from(JSON.stringify(browser)))
  await writeFile(join(outDir, 'manifest.json'), `${JSON.stringify(manifest, null, 1)}\n`)
}

async function putInPlace(from: string, to: string): Promise<void> {
  const old = `${from}-old`
  await rm(old, { recursive: true, force: true })
  if (existsSync(to)) await rename(to, old)
  await rename(from, to)
  await rm(old, { recursive: true, force: true })
}
