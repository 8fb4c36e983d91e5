// The installed packages that code needs at run time, as a tree of node_modules: found from where the packages are,
// whichever package manager installed them, and placed so that Node resolves the same package for each importer.

import { cp, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isRecord } from '@portico/shared/wire/json/json-value.ts'
import { BuildError } from '../build-error.ts'
import { findInstalled, parseJsonObject } from '../package-json.ts'

export interface PlacedPackage {
  name: string
  version: string
  /** Real path of the installed package. */
  from: string
  /** Path in the tree: `node_modules/a/node_modules/b`. */
  to: string
}

interface PackageTree {
  packages: PlacedPackage[]
  /** Names of the given packages that are not installed. */
  missing: string[]
}

/**
 * The packages of these names as a module in `importer` resolves them, with their production dependencies: required and
 * optional ones, and peers. Optional packages and peers that are not installed are left out; an optional peer that is
 * installed is part of the tree only if `names` has it, because most are tools of development.
 *
 * @example
 * const { packages } = await readPackageTree(appDir, ['better-sqlite3'])
 */
export async function readPackageTree(importer: string, names: readonly string[]): Promise<PackageTree> {
  const placed = new Map<string, PlacedPackage>()
  const missing: string[] = []
  const pending: PlacedPackage[] = []
  const place = async (name: string, importerDir: string, importerPlace: string): Promise<boolean> => {
    const found = findInstalled(name, importerDir)
    if (found === undefined) return false
    const from = await realpath(found)
    const visible = visiblePackage(placed, name, importerPlace)
    if (visible?.from === from) return true
    const to = join(visible ? importerPlace : '', 'node_modules', name)
    const { version } = await readManifest(from)
    const one = { name, version: String(version), from, to }
    placed.set(to, one)
    pending.push(one)
    return true
  }
  for (const name of names) if (!(await place(name, importer, ''))) missing.push(name)
  // Importers before the packages that they import: a package is never placed between an importer and its package.
  for (let one = pending.shift(); one !== undefined; one = pending.shift())
    for (const { name, isOptional } of dependenciesOf(await readManifest(one.from), names))
      if (!(await place(name, one.from, one.to)) && !isOptional)
        throw new BuildError(`${one.name}: its dependency "${name}" must be installed; run npm install`)
  return { packages: [...placed.values()].sort((left, right) => left.to.localeCompare(right.to)), missing }
}

/** Copies the packages into `folder`, without the packages that are nested in them. */
export async function copyPackages(packages: readonly PlacedPackage[], folder: string): Promise<void> {
  for (const { from, to } of packages)
    await cp(from, join(folder, to), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => basename(path) !== 'node_modules' || dirname(path) !== from,
    })
}

/** The package that an importer at this place finds in the tree. */
function visiblePackage(
  placed: ReadonlyMap<string, PlacedPackage>,
  name: string,
  importerPlace: string,
): PlacedPackage | undefined {
  for (let place = importerPlace; ; place = parentPlace(place)) {
    const found = placed.get(join(place, 'node_modules', name))
    if (found || place === '') return found
  }
}

/** `node_modules/a/node_modules/@b/c` is in `node_modules/a`. */
function parentPlace(place: string): string {
  const at = place.lastIndexOf('/node_modules/')
  return at === -1 ? '' : place.slice(0, at)
}

interface Dependency {
  name: string
  isOptional: boolean
}

function dependenciesOf(manifest: Record<string, unknown>, named: readonly string[]): Dependency[] {
  const namesIn = (field: string) => (isRecord(manifest[field]) ? Object.keys(manifest[field]) : [])
  const optional = new Set(namesIn('optionalDependencies'))
  const meta = isRecord(manifest.peerDependenciesMeta) ? manifest.peerDependenciesMeta : {}
  const isOptionalPeer = (name: string) => isRecord(meta[name]) && meta[name].optional === true
  return [
    ...namesIn('dependencies')
      .filter((name) => !optional.has(name))
      .map((name) => ({ name, isOptional: false })),
    ...[...optional].map((name) => ({ name, isOptional: true })),
    ...namesIn('peerDependencies')
      .filter((name) => !isOptionalPeer(name) || named.includes(name))
      .map((name) => ({ name, isOptional: true })),
  ]
}

async function readManifest(dir: string): Promise<Record<string, unknown>> {
  const file = join(dir, 'package.json')
  return parseJsonObject(await readFile(file, 'utf8'), file)
}
