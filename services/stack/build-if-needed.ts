// Builds the app folder if it has no build or a source is newer than the build.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, extname, join, relative } from 'node:path'
import { foreignBuildReason, isSourceName, SOURCES_FILE } from '@portico/shared/wire/build-output.ts'
import { isRecord, parseJson } from '@portico/shared/wire/json/json-value.ts'

/** Parts of the repository that are in every build; the installed package changes as a whole. */
const FRAMEWORK_SOURCES =
  extname(import.meta.url) === '.ts'
    ? ['web/build', 'web/runtime', 'services/shared/wire', 'package-lock.json']
    : ['package.json']

interface BuildTask {
  /** Folder of the repository. */
  root: string
  appDir: string
  /** The environment of the programs that are run: npm, the build, the script of the site. */
  environment: NodeJS.ProcessEnv
  say: (message: string) => void
}

/**
 * Builds if needed and passes the build's output through. Rejects when the build fails, after the build's own message.
 */
export async function buildIfNeeded(task: BuildTask): Promise<void> {
  const { root, appDir, environment, say } = task
  await installAppPackages(task)
  const reason = await reasonToBuild(root, appDir)
  if (!reason) return
  say(`building ${nameOf(appDir)}: ${reason}`)
  const build = join(root, `web/build/cli${extname(import.meta.url)}`)
  const code = await run(process.execPath, [build], root, { ...environment, APP_DIR: appDir })
  if (code !== 0) throw new Error('the build failed; see its message above')
}

/**
 * Prepares what a development server needs instead of a build: the packages of the app folder, and the output of its
 * assets script. Returns the work that may run after the first pages.
 */
export async function prepareDevelopment(task: BuildTask): Promise<() => void> {
  const { appDir, environment, say } = task
  await installAppPackages(task)
  const { scripts } = await readPackage(appDir)
  const assets = scripts?.assets
  if (!assets) return () => {}
  const runAssets = async () => {
    if ((await run('sh', ['-c', assets], appDir, onThisNode(environment))) !== 0)
      throw new Error('the script "assets" failed; see its message above')
  }
  // After its first run the script runs behind the first pages: the watcher reports new files like every other change.
  if (await stat(join(appDir, '.portico', 'assets.json')).catch(() => undefined))
    return () => void runAssets().catch((error: unknown) => say(error instanceof Error ? error.message : String(error)))
  say('running the assets script')
  await runAssets()
  return () => {}
}

/** Why a build is needed; undefined when the build is newer than all its sources. */
export async function reasonToBuild(root: string, appDir: string): Promise<string | undefined> {
  const manifest = await stat(join(appDir, 'dist', 'manifest.json')).catch(() => undefined)
  if (!manifest) return 'no build exists yet'
  const foreign = foreignBuildReason(await versionOfBuild(appDir))
  if (foreign) return foreign
  const builtMs = manifest.ctimeMs
  const changed = (path: string) => `${nameOf(path)} changed since the last build`
  // The time of the app folder says nothing: the build and the stack create folders there.
  const names = await readdir(appDir)
  const removed = (await sourcesOfBuild(appDir)).find((name) => !names.includes(name))
  if (removed !== undefined) return `${nameOf(join(appDir, removed))} was removed since the last build`
  for (const name of names) {
    const newer = isSourceName(name) ? await findNewer(join(appDir, name), builtMs) : undefined
    if (newer) return changed(newer)
  }
  const sources = [...FRAMEWORK_SOURCES.map((path) => join(root, path)), ...(await packageFolders(appDir))]
  for (const path of sources) {
    const newer = await findNewer(path, builtMs)
    if (newer) return changed(newer)
  }
  return undefined
}

/** The path as a person at the terminal writes it. */
function nameOf(path: string): string {
  const name = relative(process.cwd(), path)
  return name === '' || name.startsWith('..') ? path : name
}

/** Names at the top of the app folder when the build began. */
async function sourcesOfBuild(appDir: string): Promise<string[]> {
  const names = parseJson(await readFile(join(appDir, 'dist', SOURCES_FILE), 'utf8').catch(() => '[]'))
  return Array.isArray(names) ? names.map(String) : []
}

/** The version of Portico that wrote the build; undefined for a manifest that cannot be parsed. */
async function versionOfBuild(appDir: string): Promise<unknown> {
  const manifest = parseJson(await readFile(join(appDir, 'dist', 'manifest.json'), 'utf8'))
  return isRecord(manifest) ? manifest.version : undefined
}

/** Folders that the site names as packages: `"docs": "file:../docs"`. */
async function packageFolders(appDir: string): Promise<string[]> {
  const { dependencies = {} } = await readPackage(appDir)
  const folders = Object.values(dependencies).filter((range) => range.startsWith('file:'))
  return folders.map((range) => join(appDir, range.slice('file:'.length)))
}

interface AppPackage {
  scripts?: { assets?: string }
  dependencies?: Record<string, string>
}

async function readPackage(appDir: string): Promise<AppPackage> {
  return JSON.parse(await readFile(join(appDir, 'package.json'), 'utf8').catch(() => '{}')) as AppPackage
}

/**
 * The first file or folder below `path` that changed after `timeMs`. Compares the change time instead of the
 * modification time: copies and checkouts keep the modification time, and the change time of a folder shows removed
 * files.
 */
async function findNewer(path: string, timeMs: number): Promise<string | undefined> {
  const entry = await stat(path).catch(() => undefined)
  if (!entry) return undefined
  if (entry.ctimeMs > timeMs) return path
  if (!entry.isDirectory()) return undefined
  for (const name of await readdir(path)) {
    const newer = isSourceName(name) ? await findNewer(join(path, name), timeMs) : undefined
    if (newer) return newer
  }
  return undefined
}

/** Installs the packages of an app folder outside the repository, which may have its own. */
async function installAppPackages({ root, appDir, environment, say }: BuildTask): Promise<void> {
  // An app folder in the repository is a workspace and already installed.
  if (!relative(root, appDir).startsWith('..')) return
  const missing = await missingPackage(appDir)
  if (missing === undefined) return
  const { manager, folder } = (await findLock(appDir)) ?? { manager: 'npm' as const, folder: appDir }
  const hasPackages = existsSync(join(appDir, 'node_modules'))
  say(`installing the packages of ${nameOf(appDir)}: ${missing} is not installed`)
  // Native packages are built for the Node that installs them: it must be the Node of the services.
  const code = await run(manager, INSTALL[manager], folder, onThisNode(environment))
  if (code === 0) return
  const failure = `${manager} install failed in ${folder}; see its message above`
  // Without a network a site starts with what it has: nothing may import the missing package.
  if (!hasPackages) throw new Error(failure)
  say(`${failure}. The site starts without ${missing}`)
}

const INSTALL = {
  npm: ['install', '--no-fund', '--no-audit'],
  pnpm: ['install'],
  yarn: ['install'],
}
const LOCKS = { 'package-lock.json': 'npm', 'pnpm-lock.yaml': 'pnpm', 'yarn.lock': 'yarn' } as const

interface Lock {
  manager: keyof typeof INSTALL
  folder: string
}

/** The package manager of an app folder, by the lock file of the folder or of the workspace around it. */
async function findLock(appDir: string): Promise<Lock | undefined> {
  for (let folder = appDir; ; folder = dirname(folder)) {
    // A lock file above the site may be that of another project.
    for (const [file, manager] of Object.entries(LOCKS))
      if (existsSync(join(folder, file)) && (folder === appDir || (await isWorkspace(folder))))
        return { manager, folder }
    if (dirname(folder) === folder) return undefined
  }
}

async function isWorkspace(folder: string): Promise<boolean> {
  return existsSync(join(folder, 'pnpm-workspace.yaml')) || 'workspaces' in (await readPackage(folder))
}

/**
 * The first dependency of an app folder that is in no folder above it either: workspaces have their packages there. Without a
 * lock file a folder `node_modules` is left as it is.
 */
export async function missingPackage(appDir: string): Promise<string | undefined> {
  if (existsSync(join(appDir, 'node_modules')) && !(await findLock(appDir))) return undefined
  const { dependencies = {} } = await readPackage(appDir)
  return Object.keys(dependencies).find((name) => !isInstalled(name, appDir))
}

function isInstalled(name: string, folder: string): boolean {
  if (existsSync(join(folder, 'node_modules', name, 'package.json'))) return true
  return dirname(folder) !== folder && isInstalled(name, dirname(folder))
}

/** The environment with the Node of this process before the machine's own. */
function onThisNode(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...environment, PATH: `${join(process.execPath, '..')}:${environment.PATH ?? ''}` }
}

function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    child.on('error', (cause) => reject(new Error(`${command} could not be run: ${cause.message}`, { cause })))
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
