// What package.json says of React, of Next.js and of packages that are not installed.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownReactVersion } from '../bundles/react-copies.ts'
import { findInstalled } from '../installed-package.ts'
import { readDependencies } from '../json-object.ts'
import { type Fault, type Finding, findingOf, type Place, placeAt } from './report.ts'

const FILE = 'package.json'

interface PackageFile {
  text: string
  /** Ranges of versions by name. */
  packages: ReadonlyMap<string, string>
}

/** Without packages where the folder has no package.json. Throws BuildError for a file that is no JSON object. */
export async function readPackageFile(dir: string): Promise<PackageFile> {
  const path = join(dir, FILE)
  const ranges = Object.entries(await readDependencies(dir)).map(([name, range]) => [name, String(range)] as const)
  return { text: existsSync(path) ? await readFile(path, 'utf8') : '', packages: new Map(ranges) }
}

/** The report of compatibility mode has the version of React. */
export function findPackageDifferences(file: PackageFile, { hasReport }: { hasReport: boolean }): Finding[] {
  const found: Finding[] = []
  const react = file.packages.get('react')
  const own = ownReactVersion()
  const major = /\d+/.exec(react ?? '')?.[0]
  if (!hasReport && react !== undefined && major !== undefined && major !== own.split('.')[0])
    found.push(
      findingOf(`react ${react}: pages run on React ${own}; install packages for this version.`, 'reactPackages', [
        placeOf(file, 'react'),
      ]),
    )
  if (file.packages.has('next'))
    found.push(
      findingOf('The package next is not used: dev, build and start are commands of Portico.', 'replacements', [
        placeOf(file, 'next'),
      ]),
    )
  return found
}

/** Whether a specifier names a package of package.json that is not installed. */
export function missingPackage(dir: string, { packages }: PackageFile, specifier: string): string | undefined {
  const name = /^(@[^/]+\/)?[^./@][^/]*/.exec(specifier)?.[0]
  return name !== undefined && packages.has(name) && findInstalled(name, dir) === undefined ? name : undefined
}

export function missingPackagesFault(file: PackageFile, names: ReadonlySet<string>): Fault[] {
  if (names.size === 0) return []
  const list = [...names].sort()
  const text = `not installed: ${list.join(', ')}; run npm install`
  return [{ kind: 'missing', text, places: list.map((name) => placeOf(file, name)) }]
}

function placeOf({ text }: PackageFile, name: string): Place {
  const offset = text.search(new RegExp(`"${RegExp.escape(name)}"\\s*:`))
  return offset < 0 ? { file: FILE } : placeAt(FILE, text, offset)
}
