// The files of packages that a bundle of the site needs at run time (K4), traced from what the bundle has Node load. Links
// of node_modules are kept as they are: Node finds each package from the same places, whichever package manager installed
// it.

import { existsSync } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, readdir, readFile, readlink, realpath, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { isFrameworkName, PACKAGE_SCHEME, REACT_PACKAGES } from '@portico/shared/wire/bundles.ts'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { nodeFileTrace, resolve as resolveAsNode } from '@vercel/nft'
import { findInstalled, folderWithFile, parseJsonObject } from '../package-json.ts'
import type { ImportInBundle } from '../packages/packages.ts'
import { readPackageTree } from './package-tree.ts'

const READABLE_FILE = 0o444

export async function copyReadable(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, to)
  await chmod(to, (await stat(to)).mode | READABLE_FILE)
}

const CODE = /\.[cm]?[jt]sx?$/
/** A file of code that reads where it is: what it computes from that place is most often a file of data. */
const READS_ITS_PLACE = /__(?:dir|file)name\b|\bimport\.meta\.(?:url|dirname|filename)\b/
/** A file of code that loads what a variable names, or loads by a function of its own. */
const COMPUTES_MODULES = /\bcreateRequire\b|\b(?:require|import)\(\s*(?:\/\*[^*]*\*\/\s*)*[^\s'"`)/]/
/** Not read at run time. */
const NEVER_READ = /\.(d\.[cm]?ts|map)$/
/** What stands beside them and is neither read. */
const APART = /(?:^|\/)(?:node_modules|tests?|__tests__|docs?|examples?|benchmarks?|\.[^/]+)\/|\.(?:md|markdown|flow)$/

// Files that a package finds by a path it computes, which no trace sees: `sql.js` reads the .wasm file next to its module,
// `pdfjs-dist` imports the worker that a variable names.

/**
 * Finds them next to the modules that compute paths, in their folders and below: files of data, and modules as well where
 * modules are loaded so. `modules` are absolute paths; those outside of node_modules are not looked at.
 */
async function findComputedFiles(modules: Iterable<string>): Promise<Set<string>> {
  const wanted = new Map<string, 'data' | 'all'>()
  for (const file of modules) {
    if (!file.includes(`${sep}node_modules${sep}`) || !CODE.test(file)) continue
    // The link to a package may have the name of a module, such as chart.js.
    if (!(await lstat(file)).isFile()) continue
    const code = await readFile(file, 'utf8')
    const folder = dirname(file)
    if (COMPUTES_MODULES.test(code)) wanted.set(folder, 'all')
    else if (READS_ITS_PLACE.test(code) && !wanted.has(folder)) wanted.set(folder, 'data')
  }
  const found = new Set<string>()
  for (const [folder, kind] of wanted)
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile() || NEVER_READ.test(path) || APART.test(path.slice(folder.length + 1))) continue
      if (kind === 'all' || !CODE.test(path)) found.add(path)
    }
  return found
}

export interface TracedFiles {
  /** Absolute paths of files and links, sorted. */
  files: readonly string[]
  /** Names of `serverExternalPackages` that are not installed. */
  missing: readonly string[]
}

const ROOT = '/'

/** What a trace has read and found, for the traces after it: the bundles of a site load the same packages. */
type TraceCache = Record<string, unknown>

interface TraceOptions {
  bundle: 'server' | 'actions'
  /** Packages that are held whole. */
  named: readonly string[]
  cache: TraceCache
}

export async function traceFiles(
  appDir: string,
  loaded: readonly ImportInBundle[],
  { bundle, named, cache }: TraceOptions,
): Promise<TracedFiles> {
  const dir = await realpath(appDir)
  // What the bundle imports, as two modules in the folder of the site that exist here only. Their names differ for each
  // bundle, because the cache knows files by their names.
  const entries = new Map(
    (['require', 'import'] as const).map((by) => [
      join(dir, `portico-traced-${bundle}.${by === 'require' ? 'cjs' : 'mjs'}`),
      loaded
        .filter((each) => each.by === by)
        .map(({ name }) => JSON.stringify(specifierOf(name, dir)))
        .map((text) => (by === 'require' ? `require(${text})` : `import ${text}`))
        .join('\n'),
    ]),
  )
  const { fileList } = await nodeFileTrace([...entries.keys()], {
    base: ROOT,
    processCwd: dir,
    cache,
    ignore: (path) => NEVER_READ.test(path),
    async readFile(path) {
      const entry = entries.get(path)
      if (entry !== undefined) return entry
      return await readFile(path).catch(() => null)
    },
    // The bundle has the framework and its React.
    resolve: async (specifier, parent, job, isCommonJs) =>
      isFrameworkName(specifier) || REACT_PACKAGES.test(specifier)
        ? []
        : resolveAsNode(specifier, parent, job, isCommonJs),
  })
  const files = new Set([...fileList].map((path) => join(ROOT, path)).filter((path) => !entries.has(path)))
  for (const file of await findComputedFiles(files)) files.add(file)
  // A package of which only package.json is read runs nothing: some read the versions of all that are installed.
  const read = [...files].filter((file) => basename(file) !== 'package.json')
  const whole = [...new Set(read.map(folderWithFile))].filter((folder) => folder !== undefined)
  for (const folder of await platformPackages(whole)) await addPackage(folder, files)
  const { packages, missing } = await readPackageTree(dir, named)
  for (const name of named) {
    const found = findInstalled(name, dir)
    if (found !== undefined) await addPackage(found, files)
  }
  for (const { from } of packages) await addPackage(from, files)
  return { files: [...files].sort(), missing }
}

function specifierOf(name: string, dir: string): string {
  return name.startsWith(PACKAGE_SCHEME) ? join(dir, decodeURI(name.slice(PACKAGE_SCHEME.length))) : name
}

/** The installed binaries of packages: a package for each platform, which code finds by a name that it computes. */
async function platformPackages(folders: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  for (const folder of folders) {
    const file = join(folder, 'package.json')
    const manifest = existsSync(file) ? parseJsonObject(await readFile(file, 'utf8'), file) : {}
    const names = isRecord(manifest.optionalDependencies) ? Object.keys(manifest.optionalDependencies) : []
    for (const name of names) {
      const installed = findInstalled(name, folder)
      if (installed === undefined) continue
      const own = join(installed, 'package.json')
      const { os, cpu } = parseJsonObject(await readFile(own, 'utf8'), own)
      if (os !== undefined || cpu !== undefined)
        for (const each of [installed, ...(await platformPackages([installed]))]) found.add(each)
    }
  }
  return [...found]
}

/** Adds all files of a package, and the link that leads to it. */
async function addPackage(folder: string, files: Set<string>): Promise<void> {
  if ((await lstat(folder)).isSymbolicLink()) files.add(folder)
  const real = await realpath(folder)
  for (const entry of await readdir(real, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const inside = path.slice(real.length)
    if (entry.isFile() && !inside.includes(`${sep}node_modules${sep}`) && !NEVER_READ.test(path)) files.add(path)
  }
}

/** The folder that has all of the files and the site: that of the site, or of the workspace that has its packages. */
export function commonFolder(appDir: string, files: readonly string[]): string {
  const holds = (folder: string) => files.every((file) => file.startsWith(folder === ROOT ? ROOT : folder + sep))
  let folder = appDir
  while (!holds(folder)) folder = dirname(folder)
  return folder
}

/** Copies the files from the folder to another one. */
export async function copyTraced(files: readonly string[], from: string, to: string): Promise<void> {
  for (const file of files) {
    const target = join(to, file.slice(from.length))
    const found = await lstat(file)
    if (found.isSymbolicLink()) {
      await mkdir(dirname(target), { recursive: true })
      await symlink(await readlink(file), target)
    } else if ((await stat(file)).isFile()) await copyReadable(file, target)
  }
}
