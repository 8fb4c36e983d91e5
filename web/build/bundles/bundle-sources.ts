// What the bundles of an app folder are made from.

import type { ActionEntry, CodeVariable } from '@portico/shared/wire/build-output.ts'
import { type ModeSettings, ownSettings } from '../adapter/mode-settings.ts'
import { type RefuseFault, throwFault } from '../build-error.ts'
import { refuseUnusedOrigins } from '../config/rewrite-origins.ts'
import type { SiteConfig } from '../config/site-config.ts'
import type { AppFolder } from '../folder/app-folder.ts'
import { type GeneratedFiles, readGeneratedFiles } from '../folder/generated-files.ts'
import { publicPaths, refuseShadowedPages } from '../folder/public-files.ts'
import type { LoadedPackage } from '../packages/place-import.ts'
import { readActions } from '../transforms/use-server.ts'
import { createReactCopies, type ReactCopies } from './react-copies.ts'
import type { ServerCodeFinding } from './server-code-findings.ts'

export interface BundleSources {
  folder: AppFolder
  config: SiteConfig
  /** Compatibility mode (X). */
  next: ModeSettings
  actions: ActionEntry[]
  generated: GeneratedFiles
  react: ReactCopies
  /** Lines that the build prints. */
  notes: Set<string>
  /** Absolute paths of font files that documents name in their head (X1). */
  fonts: Set<string>
  /** The files of packages that Node loads, by module id. */
  packages: Map<string, LoadedPackage>
  /** The variables of the environment that modules read in compatibility mode, by name (X6). */
  codeVariables: Map<string, CodeVariable>
  /** What the build of the browser bundle found. */
  serverCode: ServerCodeFinding[]
}

interface SourceOptions {
  next?: ModeSettings
  /** Receives each fault of the author; without it the first one is thrown. */
  refuse?: RefuseFault
  /** Receives each fault of one module that no other one has; without it `refuse` does. */
  refuseModule?: RefuseFault
}

/** Reads everything besides folder and config. Throws BuildError for faults of the author, or passes each to `refuse`. */
export async function readBundleSources(
  folder: AppFolder,
  config: SiteConfig,
  { next = ownSettings(), refuse = throwFault, refuseModule = refuse }: SourceOptions = {},
): Promise<BundleSources> {
  refuseUnusedOrigins(config, folder, refuse)
  const actions = await readActions(folder, refuse, refuseModule)
  const generated = await readGeneratedFiles(folder.dir)
  refuseShadowedPages(folder, await publicPaths(folder.dir), refuse)
  // An app of Next.js may have the React of another major version installed: the report has a line.
  const react = createReactCopies(folder.dir, { isAnyVersion: next.on })
  const found = { notes: new Set<string>(), fonts: new Set<string>(), packages: new Map(), serverCode: [] }
  return { folder, config, next, actions, generated, react, codeVariables: new Map(), ...found }
}
