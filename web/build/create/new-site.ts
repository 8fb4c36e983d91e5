// Creates a site from the template: checks the target first, then creates the folder completely or not at all. Runs in
// `create-portico` on the machine's own Node, and imports nothing of the framework.

import { cp, mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/** npm removes the files .gitignore and .npmrc from packages: the packaged template has them without the dot. */
export const WITHOUT_DOT: readonly string[] = ['gitignore', 'npmrc']
/** The version in the template's README.md; a new site has that of its tarball. */
const TEMPLATE_TARBALL = /portico-<version>\.tgz/g
/** Entries that an empty folder may contain. */
const HARMLESS: ReadonlySet<string> = new Set(['.git', '.DS_Store'])
/** The site cannot have the name of a package that it contains, and npm refuses the others. */
const TAKEN_NAMES: ReadonlySet<string> = new Set(['portico', 'create-portico', 'node_modules', 'favicon.ico'])
const MAX_NAMED_ENTRIES = 3
/** npm's limit for the name of a package. */
const MAX_NAME_LENGTH = 214

/** The reason why a site cannot be created, in one line. */
export class NewSiteError extends Error {
  override name = 'NewSiteError'
}

/** A folder in which a site can be created. */
export interface Target {
  /** As the user wrote it. */
  given: string
  /** Absolute path. */
  dir: string
  /** False when nothing exists at the path. */
  isEmptyFolder: boolean
}

/** What a site is created from. */
export interface Origin {
  /** Folder of the template. */
  template: string
  /** The package `portico`, which is copied into `vendor/` of the site. */
  tarball: string
}

/**
 * Checks `given`, a path relative to the current folder. Throws NewSiteError when no site may be created there;
 * `outsideOf` is a folder in which none may be.
 */
export async function checkTarget(given: string, outsideOf?: string): Promise<Target> {
  const dir = resolve(given)
  const name = basename(dir)
  if (given.trim() === '' || !/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name))
    throw new NewSiteError(
      `"${given.trim() && name}" is not allowed as the folder of a site; use letters, digits, "-", "_" and ".", beginning with a letter or digit`,
    )
  if (outsideOf !== undefined) await checkOutside(given, dir, outsideOf)
  return { given, dir, isEmptyFolder: await checkEmpty(given, dir) }
}

/**
 * Creates the site. Throws NewSiteError, and writes nothing, when a file cannot be written; and the reason of `signal` when
 * it aborts before the site is complete.
 */
export async function createSite(target: Target, origin: Origin, signal?: AbortSignal): Promise<void> {
  try {
    await createFolder(target, origin, signal)
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
    throw new NewSiteError(`${target.given}: could not be written (${cause.message.split(',')[0]})`, { cause })
  }
}

/** Refuses paths in `folder`, also behind symbolic links. */
async function checkOutside(given: string, dir: string, folder: string): Promise<void> {
  let known = dir
  while (!(await stat(known).catch(() => undefined))) known = dirname(known)
  const real = join(await realpath(known), relative(known, dir))
  const inside = relative(await realpath(folder), real)
  if (!isAbsolute(inside) && inside.split(sep)[0] !== '..')
    throw new NewSiteError(`${given}: is in Portico's folder; use a folder outside of it, such as ../mysite`)
}

/** True for an empty folder, false when nothing exists at the path. Throws NewSiteError for everything else. */
async function checkEmpty(given: string, dir: string): Promise<boolean> {
  const entry = await stat(dir).catch(() => undefined)
  if (!entry) return false
  if (!entry.isDirectory()) throw new NewSiteError(`${given}: is a file; use a new or empty folder`)
  const names = (await readdir(dir)).filter((name) => !HARMLESS.has(name)).sort()
  if (names.length === 0) return true
  const others = names.length - MAX_NAMED_ENTRIES
  const listed = names.slice(0, MAX_NAMED_ENTRIES).join(', ') + (others > 0 ? ` and ${others} more` : '')
  throw new NewSiteError(`${given}: is not empty, it contains ${listed}`)
}

/** Creates the site in a folder next to the target, then renames it. */
async function createFolder(
  { dir, isEmptyFolder }: Target,
  { template, tarball }: Origin,
  signal: AbortSignal | undefined,
): Promise<void> {
  const createdParent = await mkdir(dirname(dir), { recursive: true })
  const draft = join(dirname(dir), `.${basename(dir)}-${process.pid}`)
  try {
    await cp(template, draft, { recursive: true })
    for (const name of WITHOUT_DOT) await rename(join(draft, name), join(draft, `.${name}`))
    await cp(tarball, join(draft, 'vendor', basename(tarball)))
    await writeManifest(join(draft, 'package.json'), packageName(basename(dir)), basename(tarball))
    const readme = await readFile(join(draft, 'README.md'), 'utf8')
    await writeFile(join(draft, 'README.md'), readme.replaceAll(TEMPLATE_TARBALL, basename(tarball)))
    signal?.throwIfAborted()
    if (isEmptyFolder) await moveInto(draft, dir)
    else await rename(draft, dir)
  } catch (error) {
    await rm(createdParent ?? draft, { recursive: true, force: true })
    throw error
  }
}

/** The name of the site, and its one dependency: a file, so that npm requests no package of this name from a registry. */
async function writeManifest(file: string, name: string, tarball: string): Promise<void> {
  const manifest = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
  const own = { name, dependencies: { portico: `file:vendor/${tarball}` } }
  await writeFile(file, `${JSON.stringify({ ...manifest, ...own }, null, 2)}\n`)
}

async function moveInto(draft: string, dir: string): Promise<void> {
  const moved: string[] = []
  try {
    for (const name of await readdir(draft)) {
      await rename(join(draft, name), join(dir, name))
      moved.push(name)
    }
    await rm(draft, { recursive: true })
  } catch (error) {
    for (const name of moved) await rm(join(dir, name), { recursive: true, force: true })
    throw error
  }
}

/** A package name that npm accepts: lower-case Latin letters. */
function packageName(folder: string): string {
  const latin = folder.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const name = latin
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|-+$/g, '')
    .slice(0, MAX_NAME_LENGTH)
  return name === '' || TAKEN_NAMES.has(name) ? `${name}-site`.replace(/^-/, '') : name
}
