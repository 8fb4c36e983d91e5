// The names of the packages that the bundles of a build import from node_modules (serverExternalPackages), kept in the
// build for those who copy a build to another place: the config file may be gone there.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const EXTERNAL_PACKAGES_FILE = 'external-packages.json'

/** `outDir` is the folder of the build. */
export async function writeExternalPackages(outDir: string, names: readonly string[]): Promise<void> {
  await writeFile(join(outDir, EXTERNAL_PACKAGES_FILE), `${JSON.stringify(names)}\n`)
}

export async function readExternalPackages(outDir: string): Promise<string[]> {
  // Written by the function above.
  return JSON.parse(await readFile(join(outDir, EXTERNAL_PACKAGES_FILE), 'utf8')) as string[]
}
