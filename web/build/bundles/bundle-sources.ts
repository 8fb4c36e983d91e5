// What the bundles of an app folder are made from.

import type { ActionEntry } from '@portico/shared/wire/build-output.ts'
import { type RefuseFault, throwFault } from '../build-error.ts'
import type { SiteConfig } from '../config/site-config.ts'
import type { AppFolder } from '../folder/app-folder.ts'
import { type GeneratedFiles, readGeneratedFiles } from '../folder/generated-files.ts'
import { publicPaths, refuseShadowedPages } from '../folder/public-files.ts'
import { readActions } from '../transforms/use-server.ts'
import { createReactCopies, type ReactCopies } from './react-copies.ts'
import type { ServerCodeFinding } from './server-code-findings.ts'

export interface BundleSources {
  folder: AppFolder
  config: SiteConfig
  actions: ActionEntry[]
  generated: GeneratedFiles
  react: ReactCopies
  /** What the build of the browser bundle found. */
  serverCode: ServerCodeFinding[]
}

/** Reads everything besides folder and config. Throws BuildError for faults of the author, or passes each to `refuse`. */
export async function readBundleSources(
  folder: AppFolder,
  config: SiteConfig,
  refuse: RefuseFault = throwFault,
): Promise<BundleSources> {
  const actions = await readActions(folder, refuse)
  const generated = await readGeneratedFiles(folder.dir)
  refuseShadowedPages(folder, await publicPaths(folder.dir), refuse)
  return { folder, config, actions, generated, react: createReactCopies(folder.dir), serverCode: [] }
}
