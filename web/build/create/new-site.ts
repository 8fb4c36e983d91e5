// Makes an app folder of the template in starter/: checks the place first, then puts the folder there whole or not at all.

import { cp, mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RUNTIME_FILES } from '../bundles/bundle-config.ts'
import { loadSiteConfig } from '../config/config-file.ts'
import { readAppFolder } from '../folder/app-folder.ts'
import { TYPES_FILE, writeCompilerOptions, writeSiteTypes } from '../folder/site-types.ts'

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url))
const TEMPLATE = fileURLToPath(new URL('starter/', import.meta.url))
/** What the template calls its own folder, in commands and as a package. */
const TEMPLATE_PATH = '../mysite'
const TEMPLATE_NAME = '"mysite"'
/** Left by builds of the template itself. */
const NOT_TEMPLATE: ReadonlySet<string> = new Set(['node_modules', 'dist', '.portico', TYPES_FILE])
/** May be in the folder already. */
const HARMLESS: ReadonlySet<string> = new Set(['.git', '.DS_Store'])
const NAMED_ENTRIES = 3
/** Longest name of a package. */
const MOST_NAME_LETTERS = 214

/** Why no site can be made there, in one line. */
export class NewSiteError extends Error {
  override name = 'NewSiteError'
}

export interface NewSite {
  /** Absolute path. */
  dir: string
  /** As APP_DIR names it in the repository's folder. */
  appDir: string
}

/**
 * Makes the site at `given`, a path as seen from the current folder. Throws NewSiteError for a place that will not do;
 * then nothing was written.
 */
export async function createSite(given: string, template = TEMPLATE): Promise<NewSite> {
  const dir = resolve(given)
  checkName(given, basename(dir))
  await checkOutside(given, dir)
  const isThere = await checkEmpty(given, dir)
  const site = { dir, appDir: isAbsolute(given) ? dir : relative(REPOSITORY, dir).split(sep).join('/') }
  try {
    await putThere(site, template, isThere)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw code ? new NewSiteError(`${given}: cannot be written (${message.split(',')[0]})`, { cause }) : cause
  }
  return site
}

function checkName(given: string, name: string): void {
  if (given.trim() === '' || !/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name))
    throw new NewSiteError(
      `"${name}" is no name for a folder of a site: letters, digits, "-", "_" and "." make one, the first a letter or digit`,
    )
}

/** Folders in here are parts of Portico; links do not hide where a path leads. */
async function checkOutside(given: string, dir: string): Promise<void> {
  let known = dir
  while (!(await stat(known).catch(() => undefined))) known = dirname(known)
  const real = join(await realpath(known), relative(known, dir))
  const inside = relative(await realpath(REPOSITORY), real)
  if (!isAbsolute(inside) && inside.split(sep)[0] !== '..')
    throw new NewSiteError(`${given}: lies in Portico's own folder; a site stands outside of it, as ../mysite does`)
}

/** Whether there is an empty folder; false when there is nothing. */
async function checkEmpty(given: string, dir: string): Promise<boolean> {
  const entry = await stat(dir).catch(() => undefined)
  if (!entry) return false
  if (!entry.isDirectory()) throw new NewSiteError(`${given}: is a file`)
  const names = (await readdir(dir)).filter((name) => !HARMLESS.has(name)).sort()
  if (names.length === 0) return true
  const others = names.length - NAMED_ENTRIES
  const held = names.slice(0, NAMED_ENTRIES).join(', ') + (others > 0 ? ` and ${others} more` : '')
  throw new NewSiteError(`${given}: is not empty, it holds ${held}`)
}

/** Everything is made beside the place, where it can be moved from at once. */
async function putThere({ dir, appDir }: NewSite, template: string, isThere: boolean): Promise<void> {
  const madeParent = await mkdir(dirname(dir), { recursive: true })
  const draft = join(dirname(dir), `.${basename(dir)}-${process.pid}`)
  try {
    await cp(template, draft, { recursive: true, filter: (path) => !NOT_TEMPLATE.has(basename(path)) })
    await replaceIn(join(draft, 'package.json'), TEMPLATE_NAME, JSON.stringify(packageName(basename(dir))))
    await replaceIn(join(draft, 'README.md'), TEMPLATE_PATH, appDir)
    await writeTypes(draft)
    if (isThere) await moveInto(draft, dir)
    else await rename(draft, dir)
  } catch (error) {
    await rm(madeParent ?? draft, { recursive: true, force: true })
    throw error
  }
}

/** So that an editor knows `portico` and the site's paths before the first build. */
async function writeTypes(dir: string): Promise<void> {
  await writeCompilerOptions(dir)
  const folder = await readAppFolder(dir)
  await writeSiteTypes(folder, await loadSiteConfig(dir, folder.configFile, RUNTIME_FILES.config))
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

/** A folder's name as npm takes it: small Latin letters. */
function packageName(name: string): string {
  const latin = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return (
    latin
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .replaceAll(/^[._-]+|-+$/g, '')
      .slice(0, MOST_NAME_LETTERS) || 'site'
  )
}
