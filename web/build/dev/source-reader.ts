// Reads the sources of an app folder under development again and again, and keeps the last good ones.

import type { Manifest } from '@portico/shared/wire/build-output.ts'
import { type BundleSources, readBundleSources } from '../bundles/bundle-sources.ts'
import { createReactCopies } from '../bundles/react-copies.ts'
import { loadSiteConfig } from '../config/config-file.ts'
import { parseSiteConfig } from '../config/site-config.ts'
import { readAppFolder } from '../folder/app-folder.ts'
import { writeSiteTypes } from '../folder/site-types.ts'
import { readNextMode } from '../next/next-mode.ts'
import { createDataKindReader } from './data-kinds.ts'
import { createDevManifest } from './dev-manifest.ts'

export type SourceResult = { kind: 'read'; manifest: Manifest } | { kind: 'fault'; fault: Error }

export function createSourceReader(dir: string) {
  const readDataKind = createDataKindReader(dir)
  let sources: BundleSources = {
    folder: { dir, pages: [], screens: [], apiRoutes: [], actionModules: [] },
    config: parseSiteConfig({}),
    actions: [],
    generated: new Map(),
    react: createReactCopies(dir),
    next: { on: false },
    notes: new Set(),
    serverCode: [],
  }
  let configFiles: ReadonlySet<string> = new Set()

  const readAll = async (changed: ReadonlySet<string> | undefined): Promise<Manifest> => {
    const folder = await readAppFolder(dir)
    let { config } = sources
    const isOtherFile = folder.configFile !== sources.folder.configFile
    if (!changed || isOtherFile || !changed.isDisjointFrom(configFiles))
      config = await loadSiteConfig(dir, folder.configFile, (files) => {
        configFiles = new Set(files)
      })
    const next = await readBundleSources(folder, config, await readNextMode(dir))
    const manifest = await createDevManifest(next, readDataKind)
    await writeSiteTypes(folder, config)
    sources = next
    return manifest
  }
  return {
    /** The last sources that could be read. */
    sources: () => sources,
    /** Reads the folder after a change of these files (absolute paths); without files also the config. Never rejects. */
    async read(changed?: ReadonlySet<string>): Promise<SourceResult> {
      try {
        return { kind: 'read', manifest: await readAll(changed) }
      } catch (error) {
        return { kind: 'fault', fault: toError(error) }
      }
    },
  }
}

export function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
