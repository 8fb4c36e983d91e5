// Builds one of the three production bundles.

import { build, type Rolldown } from 'vite'
import { readableError } from '../readable-error.ts'
import { type BundleName, bundleConfig } from './bundle-config.ts'
import type { BundleSources } from './bundle-sources.ts'

/** Writes the bundle to `outDir` and returns the bundler's output. Throws BuildError for faults of the author. */
export async function buildBundle(
  name: BundleName,
  sources: BundleSources,
  outDir: string,
): Promise<Rolldown.RolldownOutput['output']> {
  try {
    const result = await build(await bundleConfig(name, sources, outDir))
    // Vite returns one output for one configuration, and a list or a watcher for others.
    if ('output' in result) return result.output
  } catch (error) {
    throw readableError(error, sources.folder.dir)
  }
  throw new Error(`the ${name} bundle has no output`)
}
