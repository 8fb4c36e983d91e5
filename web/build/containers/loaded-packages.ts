// Which packages the server bundles of a build have Node load, kept in the build for those who collect its files in another
// process.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Rolldown } from 'vite'
import type { LoadedPackage } from '../packages/place-import.ts'

export const LOADED_PACKAGES_FILE = 'external-packages.json'

/** As in the bundle. */
export type ImportInBundle = Pick<LoadedPackage, 'name' | 'by'>

export interface LoadedPackages {
  server: readonly ImportInBundle[]
  actions: readonly ImportInBundle[]
  /** `serverExternalPackages`. */
  named: readonly string[]
}

/** `outDir` is the folder of the build. */
export async function writeLoadedPackages(outDir: string, loaded: LoadedPackages): Promise<void> {
  await writeFile(join(outDir, LOADED_PACKAGES_FILE), `${JSON.stringify(loaded)}\n`)
}

export async function readLoadedPackages(outDir: string): Promise<LoadedPackages> {
  // Written by the function above.
  return JSON.parse(await readFile(join(outDir, LOADED_PACKAGES_FILE), 'utf8')) as LoadedPackages
}

/** The packages of one bundle: those of modules that tree shaking left in it. */
export function loadedBy(
  output: Rolldown.RolldownOutput['output'],
  packages: ReadonlyMap<string, LoadedPackage>,
): ImportInBundle[] {
  const ids = new Set<string>()
  for (const chunk of output)
    if (chunk.type === 'chunk')
      for (const id of [...Object.keys(chunk.modules), ...chunk.imports, ...chunk.dynamicImports]) ids.add(id)
  return [...packages.values()]
    .filter(({ moduleIds }) => moduleIds.some((id) => ids.has(id)))
    .map(({ name, by }) => ({ name, by }))
    .sort((left, right) => left.name.localeCompare(right.name))
}
