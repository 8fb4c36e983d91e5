// Which packages the server bundles of a build have Node load, kept in the build for those who collect its files in another
// process.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Rolldown } from 'vite'
import { type LoadedPackage, packageName } from '../packages/place-import.ts'

export const LOADED_PACKAGES_FILE = 'external-packages.json'

/** As in the bundle. */
export type ImportInBundle = Pick<LoadedPackage, 'name' | 'by'>

export interface LoadedPackages {
  server: readonly ImportInBundle[]
  actions: readonly ImportInBundle[]
  /** `serverExternalPackages`. */
  named: readonly string[]
}

/** A text that may be the name of a package or of a file in one. */
const SPECIFIER = /(["'`])((?:@[\w.-]+\/)?[\w-][\w.-]*(?:\/[\w./-]+)?)\1/g

/** `outDir` is the folder of the build. */
export async function writeLoadedPackages(outDir: string, loaded: LoadedPackages): Promise<void> {
  await writeFile(join(outDir, LOADED_PACKAGES_FILE), `${JSON.stringify(loaded)}\n`)
}

export async function readLoadedPackages(outDir: string): Promise<LoadedPackages> {
  // Written by the function above.
  return JSON.parse(await readFile(join(outDir, LOADED_PACKAGES_FILE), 'utf8')) as LoadedPackages
}

/**
 * The packages of one bundle: those of modules that tree shaking left in it, and the dependencies of the site that its texts
 * name, which a package may load by such a text, as pino loads the `target` of a transport.
 */
export function loadedBy(
  output: Rolldown.RolldownOutput['output'],
  packages: ReadonlyMap<string, LoadedPackage>,
  dependencies: ReadonlySet<string>,
): ImportInBundle[] {
  const ids = new Set<string>()
  const named = new Set<string>()
  for (const chunk of output)
    if (chunk.type === 'chunk') {
      for (const id of [...Object.keys(chunk.modules), ...chunk.imports, ...chunk.dynamicImports]) ids.add(id)
      for (const [, , text = ''] of chunk.code.matchAll(SPECIFIER))
        if (dependencies.has(packageName(text) ?? '')) named.add(text)
    }
  const imported = [...packages.values()]
    .filter(({ moduleIds }) => moduleIds.some((id) => ids.has(id)))
    .map(({ name, by }) => ({ name, by }))
  const texts = [...named]
    .filter((name) => !imported.some((each) => each.name === name))
    .flatMap((name) => (['require', 'import'] as const).map((by) => ({ name, by })))
  return [...imported, ...texts].sort((left, right) => left.name.localeCompare(right.name))
}
