// Creates an app folder from the template in starter/: checks the target first, then creates the folder completely or
// not at all.

import { cp, mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DATA_FOLDER } from '@portico/shared/wire/constants.ts'
import { errorCode } from '../build-error.ts'
import { TYPES_FILE, updateSiteTypes } from '../folder/site-types.ts'
import { FRAMEWORK } from '../framework-files.ts'

const TEMPLATE = fileURLToPath(new URL('starter/', import.meta.url))
/** The names of the template's folder and package, which a new site replaces with its own. */
const TEMPLATE_PATH = '../mysite'
const TEMPLATE_NAME = '"mysite"'
/** Files that builds of the template write into its folder. */
const NOT_TEMPLATE: ReadonlySet<string> = new Set(['node_modules', 'dist', '.portico', DATA_FOLDER, TYPES_FILE])
/** Entries that an empty folder may contain. */
const HARMLESS: ReadonlySet<string> = new Set(['.git', '.DS_Store'])
const MAX_NAMED_ENTRIES = 3
/** npm's limit for the name of a package. */
const MAX_NAME_LENGTH = 214

/** The reason why a site cannot be created, in one line. */
export class NewSiteError extends Error {
  override name = 'NewSiteError'
}

export interface NewSite {
  /** Absolute path. */
  dir: string
  /** The value of APP_DIR for commands in the repository's folder. */
  appDir: string
}

/**
 * Creates the site at `given`, a path relative to the current folder. Throws NewSiteError, and writes nothing, when the
 * path is not allowed.
 */
export async function createSite(given: string, template = TEMPLATE): Promise<NewSite> {
  const dir = resolve(given)
  checkName(given, basename(dir))
  await checkOutside(given, dir)
  const isEmptyFolder = await checkEmpty(given, dir)
  const site = { dir, appDir: isAbsolute(given) ? dir : relative(FRAMEWORK, dir).split(sep).join('/') }
  try {
    await createFolder(site, template, isEmptyFolder)
  } catch (cause) {
    if (!(cause instanceof Error) || errorCode(cause) === undefined) throw cause
    throw new NewSiteError(`${given}: could not be written (${cause.message.split(',')[0]})`, { cause })
  }
  return site
}

function checkName(given: string, name: string): void {
  if (given.trim() === '' || !/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name))
    throw new NewSiteError(
      `"${name}" is not allowed as the folder of a site; use letters, digits, "-", "_" and ".", beginning with a letter or digit`,
    )
}

/** Refuses folders of this repository, also behind symbolic links. */
async function checkOutside(given: string, dir: string): Promise<void> {
  let known = dir
  while (!(await stat(known).catch(() => undefined))) known = dirname(known)
  const real = join(await realpath(known), relative(known, dir))
  const inside = relative(await realpath(FRAMEWORK), real)
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
async function createFolder({ dir, appDir }: NewSite, template: string, isEmptyFolder: boolean): Promise<void> {
  const createdParent = await mkdir(dirname(dir), { recursive: true })
  const draft = join(dirname(dir), `.${basename(dir)}-${process.pid}`)
  try {
    await cp(template, draft, { recursive: true, filter: (path) => !NOT_TEMPLATE.has(basename(path)) })
    await replaceIn(join(draft, 'package.json'), TEMPLATE_NAME, JSON.stringify(packageName(basename(dir))))
    await replaceIn(join(draft, 'README.md'), TEMPLATE_PATH, appDir)
    // Editors need the types before the first build.
    await updateSiteTypes(draft)
    if (isEmptyFolder) await moveInto(draft, dir)
    else await rename(draft, dir)
  } catch (error) {
    await rm(createdParent ?? draft, { recursive: true, force: true })
    throw error
  }
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

async function replaceIn(file: string, text: string, other: string): Promise<void> {
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replaceAll(text, () => other),
  )
}

/** A package name that npm accepts: lower-case Latin letters. */
function packageName(name: string): string {
  const latin = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return (
    latin
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .replaceAll(/^[._-]+|-+$/g, '')
      .slice(0, MAX_NAME_LENGTH) || 'site'
  )
}
